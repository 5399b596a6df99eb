import type { OptionRow } from "./types.js";

/** Options of programs that work on files: those of the system, archives, downloads, texts. */
export const OPTIONS_OF_FILE_TOOLS: Readonly<Record<string, OptionRow>> = {
  rm: "-f/--force -i -I --interactive=? --one-file-system --no-preserve-root --preserve-root=? -r/-R/--recursive -d/--dir -v/--verbose --help --version",
  rmdir: "--ignore-fail-on-non-empty -p/--parents -v/--verbose --help --version",
  cp: `-a/--archive --attributes-only --backup=? -b --copy-contents -d -f/--force -i/--interactive -H -l/--link -L/--dereference -n/--no-clobber
    -P/--no-dereference -p --preserve=? --no-preserve= --parents -R/-r/--recursive --reflink=? --remove-destination --sparse= --strip-trailing-slashes
    -s/--symbolic-link -S/--suffix= -t/--target-directory= -T/--no-target-directory -u/--update=? -v/--verbose -x/--one-file-system -Z --context=?
    --help --version`,
  mv: `--backup=? -b --debug --exchange -f/--force -i/--interactive -n/--no-clobber --no-copy --strip-trailing-slashes -S/--suffix= -t/--target-directory=
    -T/--no-target-directory -u/--update=? -v/--verbose -Z/--context --help --version`,
  ln: `--backup=? -b -d/-F/--directory -f/--force -i/--interactive -L/--logical -n/-h/--no-dereference -P/--physical -r/--relative -s/--symbolic -S/--suffix=
    -t/--target-directory= -T/--no-target-directory -v/--verbose --help --version`,
  install: `--backup=? -b -c -C/--compare -d/--directory -D --debug -g/--group= -m/--mode= -o/--owner= -p/--preserve-timestamps -s/--strip --strip-program=
    -S/--suffix= -t/--target-directory= -T/--no-target-directory -v/--verbose --preserve-context -Z --context=? --help --version`,
  scp: "-3 -4 -6 -A -B -C -D= -c= -F= -i= -J= -l= -O -o= -P= -p -q -R -r -S= -s -T -v -X=",
  rsync: `-v/--verbose -q/--quiet -c/--checksum -a/--archive -r/--recursive -R/--relative -b/--backup --backup-dir= --suffix= -u/--update --inplace --append
    -d/--dirs -l/--links -L/--copy-links --copy-unsafe-links --safe-links -k/--copy-dirlinks -K/--keep-dirlinks -H/--hard-links -p/--perms --chmod=
    -A/--acls -X/--xattrs -o/--owner -g/--group --devices --specials -D -t/--times -O -J --super --fake-super -S/--sparse -n/--dry-run -W/--whole-file
    -x -B/--block-size= -e/--rsh= --rsync-path= --existing --ignore-existing --remove-source-files --del --delete --delete-before --delete-during
    --delete-delay --delete-after --delete-excluded --ignore-errors --force --max-delete= --max-size= --min-size= --partial --partial-dir= --delay-updates
    -m/--prune-empty-dirs --numeric-ids --usermap= --groupmap= --chown= --timeout= --contimeout= -I --size-only -@/--modify-window= -T/--temp-dir= -y
    --compare-dest= --copy-dest= --link-dest= -z/--compress --compress-level= -C -f/--filter= -F --exclude= --exclude-from= --include= --include-from=
    --files-from= -0 -s --address= --port= --sockopts= --blocking-io --stats -8 -h --progress -P -i -M/--remote-option= --out-format= --log-file=
    --log-file-format= --password-file= --list-only --bwlimit= --write-batch= --only-write-batch= --read-batch= --protocol= --iconv= -4 -6 --mkpath
    --daemon --config=`,
  tee: "-a/--append -i/--ignore-interrupts -p --output-error=? --help --version",
  truncate: "-c/--no-create -o/--io-blocks -r/--reference= -s/--size= --help --version",
  touch: "-a -c/--no-create -d/--date= -f -h/--no-dereference -m -r/--reference= -t= --time= --help --version",
  mkdir: "-m/--mode= -p/--parents -v/--verbose -Z --context=? --help --version",
  mkfifo: "-m/--mode= -Z --context=? --help --version",
  mknod: "-m/--mode= -Z --context=? --help --version",
  shred:
    "-f/--force -n/--iterations= --random-source= -s/--size= -u --remove=? -v/--verbose -x/--exact -z/--zero --help --version",
  chmod:
    "-c/--changes -f/--silent/--quiet -v/--verbose --no-preserve-root --preserve-root --reference= -R/--recursive --help --version",
  chown:
    "-c/--changes -f/--silent/--quiet -v/--verbose --dereference -h/--no-dereference --from= --no-preserve-root --preserve-root --reference= -R/--recursive -H -L -P",
  chgrp:
    "-c/--changes -f/--silent/--quiet -v/--verbose --dereference -h/--no-dereference --no-preserve-root --preserve-root --reference= -R/--recursive -H -L -P",
  setfacl:
    "-b/--remove-all -k/--remove-default -n/--no-mask --mask -d/--default --restore= -R/--recursive -L -P --test -m/--modify= -M/--modify-file= -x/--remove= -X/--remove-file= --set= --set-file=",
  sort: `-b/--ignore-leading-blanks -d/--dictionary-order -f/--ignore-case -g/--general-numeric-sort -i/--ignore-nonprinting -M/--month-sort
    -h/--human-numeric-sort -n/--numeric-sort -R/--random-sort --random-source= -r/--reverse --sort= -V/--version-sort --batch-size= -c --check=? -C
    --compress-program= --debug --files0-from= -k/--key= -m/--merge -o/--output= -s/--stable -S/--buffer-size= -t/--field-separator=
    -T/--temporary-directory= --parallel= -u/--unique -z/--zero-terminated --help --version`,
  mktemp: "-d/--directory -u/--dry-run -q/--quiet --suffix= -p= --tmpdir=? -t -V --version --help",
  iconv: "-f/--from-code= -t/--to-code= -o/--output= -c -s/--silent -l/--list --byte-subst= --verbose",
  shuf: "-e/--echo -i/--input-range= -n/--head-count= -o/--output= -r/--repeat --random-source= -z/--zero-terminated --help --version",
  uniq: `-c/--count -d/--repeated -D --all-repeated=? -f/--skip-fields= --group=? -i/--ignore-case -s/--skip-chars= -u/--unique -z/--zero-terminated
    -w/--check-chars= --help --version`,
  split: `-a/--suffix-length= --additional-suffix= -b/--bytes= -C/--line-bytes= -d --numeric-suffixes=? -x --hex-suffixes=? -e/--elide-empty-files --filter=
    -l/--lines= -n/--number= -t/--separator= -u/--unbuffered --verbose --help --version`,
  csplit:
    "-b/--suffix-format= -f/--prefix= -k/--keep-files --suppress-matched -n/--digits= -q/-s/--silent/--quiet -z/--elide-empty-files --help --version",
  sed: `-n/--quiet/--silent --debug -e/--expression= -f/--file= --follow-symlinks -i/--in-place=? -l/--line-length= --posix -E/-r/--regexp-extended
    -s/--separate --sandbox -u/--unbuffered -z/--null-data --help --version`,
  awk: {
    permuted: false,
    options: `-F/--field-separator= -f/--file= -v/--assign= -b/--characters-as-bytes -c/--traditional -C -d/--dump-variables=? -D/--debug=? -e/--source= -E/--exec=
      -g -h/--help -i/--include= -I -k/--csv -l/--load= -L/--lint=? -M/--bignum -N -n/--non-decimal-data -o/--pretty-print=? -O/--optimize -p/--profile=?
      -P/--posix -r/--re-interval -s -S/--sandbox -t/--lint-old -V/--version`,
  },
  grep: `-E/--extended-regexp -F/--fixed-strings -G/--basic-regexp -P/--perl-regexp -e/--regexp= -f/--file= -i/--ignore-case -v/--invert-match -w/--word-regexp
    -x/--line-regexp -c/--count --color=? --colour=? -L/--files-without-match -l/--files-with-matches -m/--max-count= -o/--only-matching -q/--quiet/--silent
    -s/--no-messages -b/--byte-offset -H/--with-filename -h/--no-filename --label= -n/--line-number -T/--initial-tab -Z/--null -A/--after-context=
    -B/--before-context= -C/--context= -a/--text --binary-files= -D/--devices= -d/--directories= --exclude= --exclude-from= --exclude-dir= --include=
    -r/--recursive -R/--dereference-recursive --line-buffered -U/--binary -z/--null-data`,
  find: { style: "single", options: "" },
  dd: "",
  date: "-d/--date= --debug -f/--file= -I/--iso-8601=? -R/--rfc-email --rfc-3339= -r/--reference= --resolution -s/--set= -u/--utc/--universal --help --version",
  file: `-b/--brief -c/--checking-printout -C/--compile -d --debug -e/--exclude= --exclude-quiet= --extension -F/--separator= -f/--files-from= -h/--no-dereference
    -i/--mime --mime-type --mime-encoding -k/--keep-going -l/--list -L/--dereference -m/--magic-file= -N/--no-pad -n/--no-buffer -p/--preserve-date
    -P/--parameter= -r/--raw -s/--special-files -S/--no-sandbox -v/--version -z/--uncompress -Z/--uncompress-noreport -0/--print0`,
  tree: `-a -d -l -f -x -L= -R -P= -I= --ignore-case --matchdirs --metafirst --prune --info --gitignore --gitfile= --filelimit= --fromfile --fflinks -o=
    -q -N -Q -p -u -g -s -h --si --du -D --timefmt= -F --inodes --device -v -t -c -U -r --dirsfirst --filesfirst --sort= -i -A -S -n -C -X -J -H= -T=
    --nolinks --hintro= --houtro= --charset= --noreport --version --help`,
  md5sum:
    "-b/--binary -c/--check --tag -t/--text -z/--zero --ignore-missing --quiet --status --strict -w/--warn -a/--algorithm= -l/--length= --help --version",
  ag: "-u/--unrestricted --hidden -a/--all-types -t/--all-text -U/--skip-vcs-ignores -f/--follow -g= -G/--file-search-regex= -i -l -L -c -n/--norecurse -p/--path-to-ignore= -m/--max-count= -A/--after= -B/--before= -C/--context= --depth= --ignore= --ignore-dir= --pager= -w -v -z/--search-zip -o --color --nocolor --column --stats --vimgrep --one-device",
  ack: "-r/-R/--recurse -n/--no-recurse -f -g= -i -l -L -c -w -v -Q -m= -A= -B= -C=? --pager=? --ignore-dir= --noignore-dir= --type= -t= --env --noenv --ackrc=",
  fd: "-H/--hidden -I/--no-ignore -u/--unrestricted -s -i -g/--glob --regex -F -a -l -L/--follow -p -d/--max-depth= --min-depth= --exact-depth= -E/--exclude= --prune -t/--type= -e/--extension= -S/--size= --changed-within= --changed-before= -o/--owner= -x/--exec= -X/--exec-batch= --batch-size= --ignore-file= -c/--color= -j/--threads= -1 -q -0 --base-directory= --path-separator= --search-path= --strip-cwd-prefix -C=",
  rg: `-e/--regexp= -f/--file= -s -F/--fixed-strings -i -v/--invert-match -x -m/--max-count= -w -A/--after-context= -B/--before-context= -C/--context= -E/--encoding=
    -g/--glob= --iglob= -j/--threads= -M/--max-columns= -d/--max-depth= -t/--type= -T/--type-not= --type-add= --type-clear= -r/--replace= --sort= --sortr=
    --color= --colors= --context-separator= --pre= --pre-glob= --hostname-bin= --hyperlink-format= --ignore-file= --path-separator= --max-filesize=
    --dfa-size-limit= --regex-size-limit= --engine= --generate= -z/--search-zip -n -N -l -c -o -p/--pretty -q -u -U -L/--follow -S -P -a -H -I -0 -./--hidden
    --no-ignore --files --json --stats --trim --vimgrep --no-heading --heading --passthru`,
  curl: `-a/--append --abstract-unix-socket= --alt-svc= --anyauth -A/--user-agent= --basic --cacert= --capath= -E/--cert= --cert-type= --ciphers=
    --compressed -K/--config= --connect-timeout= --connect-to= -C/--continue-at= -b/--cookie= -c/--cookie-jar= --create-dirs --create-file-mode= --crlf
    -d/--data= --data-ascii= --data-binary= --data-raw= --data-urlencode= --delegation= --digest -q/--disable --dns-servers= --doh-url= -D/--dump-header=
    --egd-file= --engine= --etag-compare= --etag-save= --expect100-timeout= -f/--fail --fail-with-body --fail-early -F/--form= --form-string= --ftp-port=
    -P= --ftp-create-dirs -g/--globoff -G/--get -I/--head -H/--header= -h/--help -0/--http1.0 --http1.1 --http2 --http3 --hsts= -i/--include -k/--insecure
    --interface= -4/--ipv4 -6/--ipv6 --json= -j/--junk-session-cookies --keepalive-time= --key= --key-type= --krb= --libcurl= --limit-rate= -l/--list-only
    --local-port= -L/--location --location-trusted --login-options= --mail-auth= --mail-from= --mail-rcpt= -M/--manual --max-filesize= --max-redirs=
    -m/--max-time= --metalink --negotiate -n/--netrc --netrc-file= -:/--next --no-alpn -N/--no-buffer --no-clobber --no-keepalive --noproxy= --ntlm
    --oauth2-bearer= -o/--output= --output-dir= -Z/--parallel --parallel-max= --pass= --path-as-is --pinnedpubkey= --post301 -x/--proxy= --proxy-user= -U=
    --preproxy= -#/--progress-bar --proto= --proto-default= --proto-redir= -p/--proxytunnel --pubkey= -Q/--quote= --random-file= -r/--range= --rate= --raw
    -e/--referer= -J/--remote-header-name -O/--remote-name --remote-name-all -R/--remote-time --remove-on-error -X/--request= --request-target= --resolve=
    --retry= --retry-all-errors --retry-connrefused --retry-delay= --retry-max-time= -s/--silent -S/--show-error --socks4= --socks5= --socks5-hostname=
    -Y/--speed-limit= -y/--speed-time= --ssl -2/--sslv2 -3/--sslv3 --stderr= --styled-output --suppress-connect-headers --tcp-fastopen -t/--telnet-option=
    --tftp-blksize= -z/--time-cond= -1/--tlsv1 --tlsv1.2 --tlsv1.3 --tls-max= --tr-encoding --trace= --trace-ascii= --trace-config= --trace-ids --trace-time
    --unix-socket= -T/--upload-file= --url= --url-query= -B/--use-ascii -u/--user= -v/--verbose -V/--version --variable= -w/--write-out= --xattr`,
  wget: `-V/--version -h/--help -b/--background -e/--execute= -o/--output-file= -a/--append-output= -d/--debug -q/--quiet -v/--verbose -nv/--no-verbose
    --report-speed= -i/--input-file= --input-metalink= -F/--force-html -B/--base= --config= --rejected-log= -t/--tries= --retry-connrefused -O/--output-document=
    -nc/--no-clobber --backups=? -c/--continue --start-pos= --progress= --show-progress -N/--timestamping -S/--server-response --spider -T/--timeout=
    --dns-timeout= --connect-timeout= --read-timeout= -w/--wait= --waitretry= --random-wait --no-proxy -Q/--quota= --bind-address= --limit-rate=
    --no-dns-cache --restrict-file-names= --ignore-case -4 -6 --prefer-family= --user= --password= --ask-password --use-askpass= --no-iri --local-encoding=
    --remote-encoding= --unlink -nd/--no-directories -x/--force-directories -nH --protocol-directories -P/--directory-prefix= --cut-dirs= --http-user=
    --http-password= --no-cache --default-page= -E/--adjust-extension --ignore-length --header= --compression= --max-redirect= --proxy-user=
    --proxy-password= --referer= --save-headers -U/--user-agent= --no-http-keep-alive --no-cookies --load-cookies= --save-cookies= --keep-session-cookies
    --post-data= --post-file= --method= --body-data= --body-file= --content-disposition --content-on-error --auth-no-challenge --secure-protocol=
    --https-only --no-check-certificate --certificate= --certificate-type= --private-key= --ca-certificate= --ca-directory= --crl-file= --hsts-file=
    --warc-file= --warc-header= --warc-max-size= --warc-tempdir= --warc-dedup= -r/--recursive -l/--level= --delete-after -k/--convert-links
    -K/--backup-converted -m/--mirror -p/--page-requisites -A/--accept= -R/--reject= --accept-regex= --reject-regex= --regex-type= -D/--domains=
    --exclude-domains= --follow-ftp --follow-tags= --ignore-tags= -H/--span-hosts -L/--relative -I/--include-directories= -X/--exclude-directories=
    -np/--no-parent`,
  tar: {
    style: "tar",
    options: `-A/--catenate/--concatenate -c/--create -d/--diff/--compare --delete -r/--append -t/--list -u/--update -x/--extract/--get -C/--directory=
      -f/--file= -g/--listed-incremental= -z/--gzip -j/--bzip2 -J/--xz -Z --zstd --lzma --lzip -a/--auto-compress -I/--use-compress-program= -v/--verbose=?
      -k/--keep-old-files --keep-newer-files --overwrite --unlink-first -U -O/--to-stdout --to-command= -p/--preserve-permissions -P/--absolute-names
      -h/--dereference -T/--files-from= -X/--exclude-from= --exclude= --strip-components= --transform= --xform= --one-top-level=? --index-file= -M
      -F/--info-script/--new-volume-script= -L/--tape-length= -b/--blocking-factor= -H/--format= -V/--label= -K/--starting-file= -N/--newer=
      --owner= --group= --mode= --mtime= --checkpoint=? --checkpoint-action= --rsh-command= --rmt-command= --totals=? -w -W/--verify -s -S -m -o -l -i -n
      --wildcards --no-same-owner --same-owner --null --suffix= --backup=? --warning= --sort= --pax-option= --volno-file= --remove-files --recursive-unlink`,
  },
  unzip: "-l -t -Z -p -c -f -u -x -d= -P= -n -o -q -v -j -C -a -b -L -X -V -K -M -O= -I= -:",
  zip: "-r/--recurse-paths -q/--quiet -j/--junk-paths -m/--move -u/--update -f/--freshen -d/--delete -x/--exclude= -i/--include= -n/--suffixes= -b/--temp-path= -P/--password= -e/--encrypt -s/--split-size= -O/--output-file/--out= -t= -tt= -T/--test -TT/--unzip-command= -lf/--logfile-path= -9 -1 -0 -o -y/--symlinks -X -z -@ -v -l -g",
  "7z": { style: "single", options: "-o= -w= -p= -m= -t= -x= -i= -v= -u= -r -y -a -s" },
  gzip: "-c/--stdout/--to-stdout -d/--decompress/--uncompress -f/--force -k/--keep -l/--list -n/--no-name -N/--name -q/--quiet -r/--recursive -S/--suffix= -t/--test -v/--verbose -1/--fast -9/--best --rsyncable -b= -p= -h -V",
  bzip2:
    "-c/--stdout -d/--decompress -z/--compress -k/--keep -f/--force -t/--test -q/--quiet -v/--verbose -s/--small -1/--fast -9/--best -h -V",
  xz: "-c/--stdout/--to-stdout -d/--decompress/--uncompress -z/--compress -k/--keep -f/--force -t/--test -l/--list -q -v -S/--suffix= -F/--format= -C/--check= -T/--threads= -M/--memlimit= --files=? --files0=? -e -0 -9 -h -V",
  zstd: "-c/--stdout -d/--decompress/--uncompress -z/--compress -k/--keep -f/--force --rm -o= -D= --output-dir-flat= --output-dir-mirror= -r -q -v -t/--test -l/--list -T= -B= -M/--memory= --filelist= --train --patch-from= --long=? -h -V",
  patch: `-p/--strip= -F/--fuzz= -l -c -e -n -u -N/--forward -R/--reverse -i/--input= -o/--output= -r/--reject-file= -D/--ifdef= -m/--merge=? -E -Z -T -f/--force
    -t/--batch -s/--quiet -b/--backup -V/--version-control= -B/--prefix= -Y/--basename-prefix= -z/--suffix= -g/--get= -d/--directory= --dry-run --posix
    --verbose --binary --reject-format= --read-only= --follow-symlinks`,
  openssl: {
    style: "single",
    options: `-out= -keyout= -writerand= -in= -inform= -outform= -passin= -passout= -pass= -key= -keyform= -days= -subj= -config= -newkey= -CA= -CAkey= -CAserial=
      -CAcreateserial -signkey= -extfile= -extensions= -noout -text -nodes -x509 -new -req -rand= -k= -K= -iv= -S= -md= -a -d -e -base64 -A -salt -pbkdf2
      -iter= -binary -hex -sign= -verify= -signature= -inkey= -pubin -pubout -certfile= -certs= -inkey= -export -name= -CAfile= -CApath= -connect=
      -servername= -sess_out= -keylogfile= -cert= -outdir= -gencrl -ss_cert= -spkac= -infiles -status= -recip= -signer= -certsout= -to= -from= -url=
      -respout= -reqout= -respin= -keymatexport= -extracerts= -extracertsout= -cacertsout= -algorithm= -pkeyopt= -paramfile= -kdfopt= -provider-path=`,
  },
  "ssh-keygen":
    "-A -a= -B -b= -C= -c -D= -E= -e -F= -f= -g -H -h -I= -i -K -k -L -l -M= -m= -N= -n= -O= -P= -p -Q -q -R= -r= -s= -t= -U -u -V= -v -w= -X -Y= -y -z=",
  ssh: {
    permuted: false,
    options:
      "-4 -6 -A -a -B= -b= -C -c= -D= -E= -e= -F= -f -G -g -I= -i= -J= -K -k -L= -l= -M -m= -N -n -O= -o= -P= -p= -Q= -q -R= -S= -s -T -t -V -v -W= -w= -X -x -Y -y",
  },
  crontab: "-u= -l -r -e -i -s -n -T -V",
  at: "-V -q= -f= -m -M -l -b -d -r -v -t= -c -u=",
  time: {
    permuted: false,
    options: "-f/--format= -o/--output= -a/--append -p/--portability -q/--quiet -v/--verbose -V/--version",
  },
  logger:
    "-d/--udp -i --id=? -e -f/--file= -h -S/--size= -n/--server= -P/--port= -p/--priority= -s/--stderr -t/--tag= -T/--tcp -u/--socket= --journald=?",
  sqlite3: {
    style: "single",
    options:
      "-cmd= -init= -separator= -newline= -nullvalue= -batch -bail -csv -json -readonly -header -line -list -html -column -box -table -markdown -ascii -echo -interactive -stats -version -vfs= -A= -append -deserialize -maxsize= -mmap= -lookaside= -pagecache= -zip -safe -heap= -memtrace -quote -tabs -utc -noheader -nofollow",
  },
  psql: "-c/--command= -d/--dbname= -f/--file= -l/--list -v/--set/--variable= -V/--version -X/--no-psqlrc -1/--single-transaction -a/--echo-all -b -e -E -L/--log-file= -n -o/--output= -q/--quiet -s -S -A --csv -F/--field-separator= -H -P/--pset= -R/--record-separator= -t -T/--table-attr= -x -z -0 -h/--host= -p/--port= -U/--username= -w -W",
  mysql:
    "-e/--execute= -u/--user= -h/--host= -P/--port= -p/--password=? -D/--database= -S/--socket= -N -B -s -t --tee= --pager=? -r -v -f --init-command= --defaults-file= --defaults-extra-file= -T -E -X -H -w",
  pg_dump:
    "-f/--file= -F/--format= -j= -v -V -Z= -d= -h= -p= -U= -w -W -a -b -B -c -C -E= -n= -N= -O -R -s -S= -t= -T= -x",
  mysqldump: "-r/--result-file= -T/--tab= -u/--user= -h/--host= -P= -p=? -B -A -w= --databases --log-error=",
  screen: {
    permuted: false,
    options: "-a -A -c= -d -D -e= -f -h= -i -l -L -Logfile= -m -O -p= -q -Q -r -R -s= -S= -t= -T= -U -v -x -X",
  },
  tmux: { permuted: false, options: "-2 -C -D -l -N -u -v -c= -f= -L= -S= -T=" },
  tcpdump: "-w= -r= -i= -c= -C= -G= -W= -F= -E= -M= -s= -T= -y= -z= -Z= -n -v -X -A -e -q -t",
  less: "-o= -O= -k= -t= -T= -x= -z= -P= -p= -j= -h= -b= -N -S -R -F -X -i -I -e -E -n",
  vim: "-c= -S= -T= -u= -U= -i= -w= -W= -t= -q= -r= -s= -o=? -O=? -p=? --cmd= -R -n -e -E -d -b -y -Z -N -C",
  xxd: {
    style: "single",
    options:
      "-r -revert -p -ps -plain -i -include -c -cols= -l= -len= -s= -seek= -g= -groupsize= -o= -u -E -b -a -C -n= -name= -R= -d -e -v",
  },
  base64: "-d/--decode -D -i/--ignore-garbage -w/--wrap= -o/--output= -b= --help --version",
  hexdump: "-b -c -C -d -e= -f= -n= -o -s= -v -x",
  aria2c:
    "-d/--dir= -o/--out= -l/--log= -i/--input-file= --save-session= -x= -s= -j= -c -Z -S -T/--torrent-file= --on-download-complete= --conf-path= --save-cookies=",
  gpg: "-o/--output= -a/--armor -s -e -b -c -d -r/--recipient= -u/--local-user= --homedir= --log-file= --status-file= --passphrase= --batch --yes -q -v --import --export --gen-key",
  ffmpeg: {
    style: "single",
    options:
      "-i= -f= -c= -c:v= -c:a= -vf= -af= -filter_complex= -map= -ss= -t= -to= -r= -s= -b:v= -b:a= -preset= -crf= -y -n -an -vn -sn -loglevel= -v= -passlogfile= -report -vstats_file= -dump_attachment= -vframes= -frames:v= -pix_fmt= -ar= -ac= -aspect= -codec= -acodec= -vcodec= -threads= -movflags= -metadata= -hide_banner -stats -nostdin -progress=",
  },
  jq: "-n/--null-input --raw-input -R -s/--slurp -c/--compact-output -r/--raw-output --raw-output0 -j/--join-output -a/--ascii-output -S/--sort-keys -C/--color-output -M/--monochrome-output --tab --indent= --unbuffered --stream --stream-errors --seq -f/--from-file= -L= --arg= --argjson= --slurpfile= --rawfile= --args --jsonargs -e/--exit-status -V/--version -h/--help",
  yq: "-i/--inplace/--in-place -o/--output-format= -p/--input-format= -s/--split-exp= -P/--prettyPrint -n/--null-input -r/--unwrapScalar=? -e -C -M -I/--indent= -N --from-file= -j -y -Y -S -c -w=",
};
