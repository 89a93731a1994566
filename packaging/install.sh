#!/bin/sh
# Installs or upgrades Platen from an unpacked release:
#
#   sudo sh install.sh https://blog.example.com
#
# It copies the executable to /usr/local/bin and the systemd unit with your address to /etc/systemd/system, and starts the
# service. The data is in /var/lib/platen; this script never touches it.
# ROOT=/some/folder sh install.sh … writes the files below that folder and starts nothing.
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
	echo "Type: sudo sh install.sh https://blog.example.com (the public address of your blog)" >&2
	exit 2
	;;
esac
if [ -z "$root" ] && [ "$(id -u)" != 0 ]; then
	echo "Type: sudo sh install.sh $address" >&2
	exit 1
fi

# Check before changing anything.
if [ -z "$root" ] && ! "$here/platen" version >/dev/null; then
	echo "This machine ($(uname -m)) cannot run $here/platen. Use the release for its processor; for older x64 processors, x64-baseline." >&2
	exit 1
fi

# A running executable cannot be overwritten, but it can be replaced.
mkdir -p "$root/usr/local/bin" "$(dirname "$unit")"
cp "$here/platen" "$root/usr/local/bin/platen.new"
chmod 755 "$root/usr/local/bin/platen.new"
mv "$root/usr/local/bin/platen.new" "$root/usr/local/bin/platen"

# Replace the unit. If more than its address differs, keep the old one as .previous. Drop-ins of "systemctl edit" stay.
set_address() {
	sed "s|^Environment=PLATEN_URL=.*|Environment=PLATEN_URL=$address|" "$1"
}
set_address "$here/platen.service" >"$unit.new"
if [ -e "$unit" ]; then
	previous=$(sed -n "s|^Environment=PLATEN_URL=||p" "$unit")
	[ "$previous" = "$address" ] || echo "Changed the address from $previous to $address."
	if [ "$(set_address "$unit")" != "$(cat "$unit.new")" ]; then
		cp "$unit" "$unit.previous"
		echo "Updated $unit. The previous version is $unit.previous. For your own settings, use: sudo systemctl edit platen"
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
