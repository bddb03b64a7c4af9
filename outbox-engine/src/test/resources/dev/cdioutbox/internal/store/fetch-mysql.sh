# Fetches Debian's package of the MySQL server with the libraries it needs, and unpacks them into the folder "root" of the
# folder that is the first argument. The packages are in Debian's unstable distribution only, and nothing is installed: apt
# gets a configuration apart, from the mirror that this machine uses.
set -eu
folder=$1
mkdir -p "$folder/apt/parts" "$folder/apt/lists/partial" "$folder/apt/archives/partial"
cd "$folder"
: > apt/status

mirror=$(apt-get indextargets --format '$(SITE)' | grep -v security | sort -u | head -1)
cat > apt/parts/unstable.sources <<SOURCE
Types: deb
URIs: $mirror
Suites: sid
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCE

unstable() {
  apt-get -q -y -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$PWD/apt/parts" \
    -o Dir::State::Lists="$PWD/apt/lists" -o Dir::State::Status="$PWD/apt/status" \
    -o Dir::Cache="$PWD/apt" -o Dir::Cache::Archives="$PWD/apt/archives" \
    -o APT::Sandbox::User= -o Debug::NoLocking=1 "$@"
}
unstable update
unstable --no-install-recommends --download-only install mysql-server-core

rm -rf unpacked
for package in apt/archives/*.deb; do
  case $package in
    */perl* | */libperl*) ;;
    *) dpkg -x "$package" unpacked ;;
  esac
done
rm -rf apt
mv unpacked root
