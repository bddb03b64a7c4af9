# Fetches Debian's package of RabbitMQ with the packages of Erlang that this machine lacks, and unpacks them into the folder "root"
# of the folder that is the first argument. Nothing is installed: apt gets a configuration apart, from the mirror that this machine
# uses.
set -eu
folder=$1
mkdir -p "$folder/apt/parts" "$folder/apt/lists/partial" "$folder/apt/archives/partial"
cd "$folder"

. /etc/os-release
mirror=$(apt-get indextargets --format '$(SITE)' | grep -v security | sort -u | head -1)
cat > apt/parts/debian.sources <<SOURCE
Types: deb
URIs: $mirror
Suites: $VERSION_CODENAME
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCE

own() {
  apt-get -q -y -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$PWD/apt/parts" \
    -o Dir::State::Lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt" -o Dir::Cache::Archives="$PWD/apt/archives" \
    -o APT::Sandbox::User= -o Debug::NoLocking=1 "$@"
}
own update
own --no-install-recommends --download-only install rabbitmq-server

rm -rf unpacked
for package in apt/archives/*.deb; do
  dpkg -x "$package" unpacked
done
# The script that starts Erlang has the folder of the package.
sed -i "s|ROOTDIR=/usr/lib/erlang|ROOTDIR=$folder/root/usr/lib/erlang|" unpacked/usr/lib/erlang/bin/erl
rm -rf apt
mv unpacked root
