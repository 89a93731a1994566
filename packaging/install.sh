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

# The unit is brought up to date. One that differs by more than its address may have been changed by hand: it is kept
# beside the new one. What "systemctl edit platen" made stays.
set_address() {
	sed "s|^Environment=PLATEN_URL=.*|Environment=PLATEN_URL=$address|" "$1"
}
set_address "$here/platen.service" >"$unit.new"
if [ -e "$unit" ]; then
	previous=$(sed -n "s|^Environment=PLATEN_URL=||p" "$unit")
	[ "$previous" = "$address" ] || echo "Changed the address from $previous to $address."
	if [ "$(set_address "$unit")" != "$(cat "$unit.new")" ]; then
		cp "$unit" "$unit.previous"
		echo "Brought $unit up to date; the previous one is $unit.previous. Own settings belong into: systemctl edit platen"
	fi
fi
mv "$unit.new" "$unit"

[ -z "$root" ] || exit 0
systemctl daemon-reload
systemctl enable platen
systemctl restart platen || {
	journalctl --unit platen --lines 20 --no-pager >&2
	exit 1
}
journalctl --unit platen --lines 3 --no-pager
