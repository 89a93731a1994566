#!/bin/sh
# Installs Platen from the folder this file is in (an unpacked release), or updates it:
#
#   sudo sh install.sh https://blog.example.com
#
# What it does, and nothing else: the executable goes to /usr/local/bin, the systemd unit to /etc/systemd/system with your
# address in it, and the service is started. The data will be in /var/lib/platen; this file never touches it.
# ROOT=/some/folder sh install.sh … puts the files below that folder and starts nothing, to see what would be done.
set -eu

address=${1:-}
root=${ROOT:-}
here=$(cd "$(dirname "$0")" && pwd)
unit=$root/etc/systemd/system/platen.service

case $address in
*[[:space:]\|\&\\]*) address= ;;
esac
case $address in
http://?* | https://?*) ;;
*)
	echo "Type: sudo sh install.sh https://blog.example.com (the address your readers will use)" >&2
	exit 2
	;;
esac
if [ -z "$root" ] && [ "$(id -u)" != 0 ]; then
	echo "Type: sudo sh install.sh $address" >&2
	exit 1
fi

# Before anything is changed.
if [ -z "$root" ] && ! "$here/platen" version >/dev/null; then
	echo "This machine ($(uname -m)) cannot run $here/platen. Take the release for it; for an older one of x64, x64-baseline." >&2
	exit 1
fi

# A running executable cannot be written over, but another can take its place.
mkdir -p "$root/usr/local/bin" "$(dirname "$unit")"
cp "$here/platen" "$root/usr/local/bin/platen.new"
chmod 755 "$root/usr/local/bin/platen.new"
mv "$root/usr/local/bin/platen.new" "$root/usr/local/bin/platen"

# A unit that is there already may have been changed by hand: it stays.
if [ -e "$unit" ]; then
	echo "Kept $unit as it is; the new one is $here/platen.service."
else
	sed "s|^Environment=PLATEN_URL=.*|Environment=PLATEN_URL=$address|" "$here/platen.service" >"$unit"
fi

[ -z "$root" ] || exit 0
systemctl daemon-reload
systemctl enable platen
systemctl restart platen || {
	journalctl --unit platen --lines 20 --no-pager >&2
	exit 1
}
journalctl --unit platen --lines 3 --no-pager
