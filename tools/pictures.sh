#!/usr/bin/env bash
# The pictures of README and docs, from real runs: pictures.sh CAIRN FOLDER [NAME...]: one of each scene that ships at a telling moment, and the
# replay page itself (replay-page). Recordings are kept in build/pictures, so that a second call only draws. Needs Chromium and, to make the
# files small, python3-pil.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cairn=$(realpath "$1")
folder=$(realpath "$2")
shift 2
wanted=" $* "
runs=build/pictures
mkdir -p "$runs" "$folder"
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
"$python" -c "import PIL" 2>/dev/null || { echo "python3-pil is needed to make the pictures small"; exit 1; }

asked() {
    [ "$wanted" = "  " ] || [[ $wanted == *" $1 "* ]]
}
record() { # name, scene, options of cairn run...
    local name=$1 scene=$2
    shift 2
    [ -e "$runs/$name.h5" ] || { "$cairn" run "$scene" --out "$runs/$name.h5" --quiet "$@" >"$runs/$name.log" || [ $? -eq 1 ]; }
}
small() { # name: the PNG as a JPEG of at most 150 kB
    "$python" - "$runs/$1.png" "$folder/$1.jpg" <<'END'
import os, sys
from PIL import Image
for quality in (88, 84, 80, 74, 66, 56):
    Image.open(sys.argv[1]).convert("RGB").save(sys.argv[2], quality=quality, optimize=True, progressive=True)
    if os.path.getsize(sys.argv[2]) <= 150000:
        break
END
    echo "$folder/$1.jpg: $(($(wc -c <"$folder/$1.jpg") / 1000)) kB"
}
picture() { # name of the scene, time, view, options of cairn run...
    local name=$1 time=$2 view=$3
    shift 3
    asked "$name" || return 0
    record "$name" "$name" "$@"
    "$cairn" snapshot "$runs/$name.h5" --time "$time" --width 1200 --height 720 -o "$runs/$name.png" --view "$view" >/dev/null
    small "$name"
}
page() { # name, recording, options of web/tests/picture.mjs: the page itself, as one sees it
    asked "$1" || return 0
    [ -d "$root/web/node_modules/playwright-core" ] || { echo "$1: skipped, web/node_modules is missing"; return 0; }
    "$cairn" view "$runs/$2.h5" -o "$runs/$2.html" >/dev/null
    (cd "$root/web" && node tests/picture.mjs "$OLDPWD/$runs/$2.html" "$OLDPWD/$runs/$1.png" "${@:3}")
    small "$1"
}

picture ball 0.452 'colour=speed&show=arrows,points,transparent,shadows&eye=0.5,-0.95,0.42&at=0,0,0.14' --until 1.5
picture brick 0.29 'show=arrows,points,transparent,shadows&eye=0.83,-1.0,0.42&at=0.2,0,0.17' --until 1.5
picture incline 0.8 'show=arrows,points,shadows' --until 1
picture painleve 0.0453125 'show=arrows,points,shadows&eye=0.75,-2.3,0.6&at=0.0,0,0.36'
picture pinch 0.5 'show=arrows,cones,transparent,shadows&eye=0.07,-0.15,0.06&at=0,0,0'
picture rattleback 2.731 'show=arrows,points,shadows&eye=0.2,-0.4,0.16&at=0,0,0.015'
picture gripper 2.2 'show=arrows,points,transparent,shadows&eye=0.34,-0.62,0.42&at=0,0,0.29'
picture robot 2.84 'show=joints,shadows&eye=4.6,-3.3,2.3&at=1.3,0.15,0.85'
picture stack 0.3 'show=arrows,points,shadows&eye=36,-76,30&at=0,0,20.5' --until 0.5
picture stack-pull 0.5 'show=arrows,points,transparent,shadows&eye=10,-20,24&at=0,0,19' --until 0.5
picture chain 0.8 'show=joints,shadows' --until 1.5
picture arch 1 'show=arrows,points,transparent,shadows' --until 1
picture dominoes 1.1 'show=arrows,points,shadows' --until 1.6
picture card-house 0.2 'show=arrows,points,cones,shadows' --until 0.2
picture cradle 0.6 'show=arrows,points,shadows' --until 0.8
picture brazil-nut 0.5 'show=shadows' --until 0.6
picture balls-in-box 0.6 'colour=island&show=shadows' --until 0.7
picture granular 0.45 'colour=speed&show=shadows' --until 0.5
picture wall-rest 0.1 'show=arrows,points,transparent,shadows' --until 0.1
picture wall 10 'show=shadows&eye=105,88,50&at=30,22,2' --until 20 # takes some minutes
picture egg 1.8 'colour=stress&show=arrows,transparent,shadows&eye=0.1,-0.23,0.19&at=0,0,0.122' --stress
picture bars-soft 1 'colour=stress&show=shadows&eye=1.05,-1.35,0.85&at=0,0,0.1' --until 1 --stress
picture bars-stiff 1 'colour=stress&show=arrows,shadows&eye=1.05,-1.35,0.85&at=0,0,0.1' --until 1 --stress
picture cushion 0.4 'colour=stress&show=shadows&eye=1.2,-1.85,1.1&at=0,-0.1,0' --until 0.5 --stress
picture press 0.45 'colour=stress&show=shadows&eye=0.24,-0.36,0.1&at=0,0,0.05' --stress
page replay-page dominoes '#t=1.1&show=arrows,points,shadows'
page replay-flexible cushion '#t=0.4&body=4&show=arrows,shadows&eye=1.2,-1.85,1.1&at=0,-0.1,0'
