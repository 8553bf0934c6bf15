# A bare Debian, as debootstrap makes it, in a tar file: read by the tests of the packages and of the image.
# FORESEE_CHROOT names a file that keeps it for the next time.
#   . tests/field/bare.sh; bare_debian FILE SCRATCH     status 1: the last line printed says why not
bare_debian() {
    [ ! -e "$1" ] || return 0
    [ "$(id -u)" = 0 ] || { echo "debootstrap needs root"; return 1; }
    command -v debootstrap >/dev/null 2>&1 || { echo "there is no debootstrap (tools/setup)"; return 1; }
    bare_release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    bare_mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' "Codename: $bare_release" | head -n 1)
    [ -n "$bare_mirror" ] || bare_mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | head -n 1)
    [ -n "$bare_mirror" ] || { echo "apt knows no mirror"; return 1; }
    if ! debootstrap --variant=minbase --include=ca-certificates "$bare_release" "$2/bare" "$bare_mirror" >"$2/debootstrap.log" 2>&1; then
        tail -n 3 "$2/debootstrap.log"
        echo "debootstrap does not work here"
        return 1
    fi
    cp /etc/resolv.conf "$2/bare/etc/resolv.conf" 2>/dev/null
    tar -C "$2/bare" -cf "$1" .
    rm -rf "$2/bare"
}
