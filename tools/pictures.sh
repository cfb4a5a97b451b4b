#!/usr/bin/env bash
# The pictures of README and docs, from real runs: pictures.sh CAIRN FOLDER [NAME...]. Recordings are kept in build/pictures, so that a second
# call only draws. Needs Chromium and, to make the files small, python3-pil.
set -eu
cairn=$(realpath "$1")
folder=$(realpath "$2")
shift 2
wanted=" $* "
runs=build/pictures
mkdir -p "$runs" "$folder"
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
"$python" -c "import PIL" 2>/dev/null || { echo "python3-pil is needed to make the pictures small"; exit 1; }

picture() { # name, scene, time, view, options of cairn run...
    local name=$1 scene=$2 time=$3 view=$4
    shift 4
    [ "$wanted" = "  " ] || [[ $wanted == *" $name "* ]] || return 0
    [ -e "$runs/$name.h5" ] || { "$cairn" run "$scene" --out "$runs/$name.h5" --quiet "$@" >"$runs/$name.log" || [ $? -eq 1 ]; }
    "$cairn" snapshot "$runs/$name.h5" --time "$time" --width 1200 --height 720 -o "$runs/$name.png" --view "$view" >/dev/null
    "$python" -c "import sys; from PIL import Image; Image.open(sys.argv[1]).convert('RGB').save(sys.argv[2], quality=86, optimize=True, progressive=True)" \
        "$runs/$name.png" "$folder/$name.jpg"
    echo "$folder/$name.jpg: $(($(wc -c <"$folder/$name.jpg") / 1000)) kB"
}

picture wall wall 11.8 'show=shadows' --until 12 # takes some ten minutes
picture arch arch 1 'show=arrows,points,transparent,shadows' --until 1
picture dominoes dominoes 1.1 'show=arrows,points,shadows' --until 1.6
picture granular granular 0.45 'colour=speed&show=shadows' --until 0.5
picture card-house card-house 0.2 'show=arrows,points,cones,shadows' --until 0.2
picture cradle cradle 0.6 'show=arrows,points,shadows' --until 0.8
picture brazil-nut brazil-nut 0.5 'show=shadows' --until 0.6
picture balls-in-box balls-in-box 0.6 'colour=island&show=shadows' --until 0.7
