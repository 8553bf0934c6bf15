/* Threads that put, get, delete, iterate and compact one database. Prints what it holds at the end. */
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"

static leveldb::DB *db;

static std::string key_of(int writer, int i)
{
    char text[32];
    snprintf(text, sizeof text, "%d/%06d", writer, i);
    return text;
}

static void write_keys(int writer, int keys)
{
    leveldb::WriteOptions sync;
    for (int i = 0; i < keys; i++) {
        leveldb::WriteBatch both;
        both.Put(key_of(writer, i), std::string(100, static_cast<char>('a' + i % 26)));
        if (i % 3 == 0 && i)
            both.Delete(key_of(writer, i - 1));
        if (!db->Write(sync, &both).ok())
            exit(1);
    }
}

static void read_keys(int writers, int keys)
{
    std::string value;
    for (int i = 0; i < keys; i++)
        for (int w = 0; w < writers; w++)
            db->Get(leveldb::ReadOptions(), key_of(w, i), &value);
    std::unique_ptr<leveldb::Iterator> all(db->NewIterator(leveldb::ReadOptions()));
    for (all->SeekToFirst(); all->Valid(); all->Next())
        value = all->key().ToString();
}

int main(int argc, char **argv)
{
    int keys = argc > 2 ? atoi(argv[2]) : 2000, writers = 3;
    std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 16));
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 1 << 16;
    options.block_cache = cache.get();
    if (argc < 2 || !leveldb::DB::Open(options, argv[1], &db).ok())
        return 2;
    std::vector<std::thread> threads;
    for (int w = 0; w < writers; w++)
        threads.emplace_back(write_keys, w, keys);
    threads.emplace_back(read_keys, writers, keys);
    threads.emplace_back([] { db->CompactRange(nullptr, nullptr); });
    for (auto &t : threads)
        t.join();
    int n = 0;
    std::unique_ptr<leveldb::Iterator> all(db->NewIterator(leveldb::ReadOptions()));
    for (all->SeekToFirst(); all->Valid(); all->Next())
        n++;
    all.reset();
    delete db;
    printf("%d keys\n", n);
    return 0;
}
