# What systemd makes of deploy/sendreel.service, as far as it can be had without it. For tests; usage, as root, with a namespace for mounts:
#   confined.sh WRITABLE_FOLDER PROGRAM...
set -eu
given=$PATH
PATH=/usr/sbin:/usr/bin:/sbin:/bin
writable=$1
shift
mount --make-rprivate /
mount --bind "$writable" "$writable"
mount -t tmpfs tmpfs /root
mount -t tmpfs tmpfs /home
mkdir -p "$writable/tmp"
mount -t tmpfs -o mode=1777 tmpfs "$writable/tmp"
mount -t proc -o hidepid=invisible proc /proc
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount -t tmpfs -o mode=755,nosuid,noexec tmpfs /mnt
for device in null zero full random urandom tty; do
  : >"/mnt/$device"
  mount --bind "/dev/$device" "/mnt/$device"
done
mkdir /mnt/shm
if [ ! -d /dev/shm ]; then mount -t tmpfs -o mode=1777 tmpfs /mnt/shm; else mount --bind /dev/shm /mnt/shm; fi
ln -s /proc/self/fd /mnt/fd
mount --move /mnt /dev
mount -o remount,bind,ro /
PATH=$given exec "$@"
