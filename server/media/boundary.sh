# Runs a program that sees nothing but what is named here: usage, all paths absolute:
#   boundary.sh EMPTY_FOLDER INPUT OUTPUT USER [--hide PATH]... [--show PATH]... -- PROGRAM...
# Needs namespaces of its own (see boundary.ts). INPUT becomes /in, OUTPUT becomes /out, and both may be empty. With a number
# as USER the program runs as that user. Any step that fails ends it: the program never runs with less of a boundary.
set -eu
umask 022
root=$1
input=$2
output=$3
user=$4
shift 4

mount -t tmpfs -o size=1m,mode=755 tmpfs "$root"
mkdir "$root/dev" "$root/old"

# What is below something shown already is there.
show() {
  if [ ! -e "$1" ] || [ -e "$root$1" ]; then return 0; fi
  mkdir -p "$root${1%/*}"
  # A file that is a link lies here itself: what the link leads to need not be shown.
  if [ -L "$1" ] && [ -d "$1" ]; then
    ln -s "$(readlink "$1")" "$root$1"
    return 0
  fi
  place "$1" "$root$1"
  mount -o remount,bind,ro,nosuid,nodev "$root$1"
}

place() {
  if [ -d "$1" ]; then mkdir "$2"; else : >"$2"; fi
  mount --bind "$1" "$2"
}

# What must not be seen although something shown lies around it.
hide() {
  if [ -d "$root$1" ]; then
    mount -t tmpfs -o ro,size=4k tmpfs "$root$1"
  elif [ -e "$root$1" ]; then
    mount --bind /dev/null "$root$1"
  fi
}

while [ "$1" != -- ]; do
  case $1 in
  --show) show "$2" ;;
  --hide) hide "$2" ;;
  esac
  shift 2
done
shift

for device in null urandom; do place "/dev/$device" "$root/dev/$device"; done
if [ -n "$input" ]; then
  place "$input" "$root/in"
  mount -o remount,bind,ro,nosuid,nodev,noexec "$root/in"
fi
if [ -n "$output" ]; then
  place "$output" "$root/out"
  mount -o remount,bind,nosuid,nodev,noexec "$root/out"
fi

# umount reads the list of mounts; this link leads nowhere as soon as it has done its work.
ln -s old/proc "$root/proc"
cd "$root"
pivot_root . old
cd /
umount -l /old
rm /proc
rmdir /old
mount -o remount,bind,ro,nosuid,nodev /

if [ -n "$user" ]; then
  set -- --reuid "$user" --regid "$user" --clear-groups -- "$@"
else
  set -- -- "$@"
fi
# Not by exec: some versions of unshare do not tell by which signal a program ended, a shell does (128 and its number).
setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --pdeathsig KILL "$@" || exit $?
