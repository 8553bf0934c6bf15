#include "ring/goelf.h"

#include <elf.h>
#include <string.h>

struct fore_goelf fore_goelf_section(struct fore_goelf file, const char *name,
                                     uint64_t *address)
{
    Elf64_Ehdr h;
    Elf64_Shdr s, names;
    struct fore_goelf none = {NULL, 0};
    if (file.n < sizeof h)
        return none;
    memcpy(&h, file.at, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_shentsize < sizeof s ||
        h.e_shoff > file.n || h.e_shstrndx >= h.e_shnum ||
        (file.n - h.e_shoff) / h.e_shentsize < h.e_shnum)
        return none;
    const unsigned char *table = file.at + h.e_shoff;
    memcpy(&names, table + (size_t)h.e_shstrndx * h.e_shentsize, sizeof names);
    if (names.sh_offset > file.n || names.sh_size > file.n - names.sh_offset)
        return none;
    for (size_t i = 0; i < h.e_shnum; i++) {
        memcpy(&s, table + i * h.e_shentsize, sizeof s);
        size_t n = strlen(name) + 1;
        if (s.sh_name > names.sh_size || names.sh_size - s.sh_name < n ||
            memcmp(file.at + names.sh_offset + s.sh_name, name, n) != 0)
            continue;
        *address = s.sh_addr;
        if (s.sh_flags & SHF_COMPRESSED || s.sh_offset > file.n ||
            s.sh_size > file.n - s.sh_offset)
            return none;
        return (struct fore_goelf){file.at + s.sh_offset, s.sh_size};
    }
    return none;
}

uint64_t fore_goelf_text(struct fore_goelf file)
{
    static const char name[] = "runtime.text";
    uint64_t text = 0, none;
    fore_goelf_section(file, ".text", &text);
    struct fore_goelf symbols = fore_goelf_section(file, ".symtab", &none);
    struct fore_goelf names = fore_goelf_section(file, ".strtab", &none);
    Elf64_Sym s;
    for (size_t at = 0; symbols.n - at >= sizeof s; at += sizeof s) {
        memcpy(&s, symbols.at + at, sizeof s);
        if (s.st_name < names.n && names.n - s.st_name >= sizeof name &&
            !memcmp(names.at + s.st_name, name, sizeof name))
            return s.st_value;
    }
    return text;
}
