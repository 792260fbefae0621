/** The words that may follow a command; the empty path is the program itself. */
export type Words = { path: string; words: { word: string; description: string }[] }

export function bashScript(all: Words[]): string {
  const cases = all.map(({ path, words }) => `    '${path}') words='${words.map(({ word }) => word).join(' ')}' ;;`)
  return [
    '_mailhatch() {',
    pathInBash(all),
    '  local words=""',
    '  case "$path" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _mailhatch mailhatch',
  ].join('\n')
}

export function zshScript(all: Words[]): string {
  const cases = all.map(({ path, words }) => {
    const entries = words.map(({ word, description }) => `'${word}:${zshText(description)}'`)
    return `    '${path}') words_here=(${entries.join(' ')}) ;;`
  })
  return [
    '#compdef mailhatch',
    '_mailhatch() {',
    '  local path_here="" word',
    '  local -a words_here',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    `    case "$path_here $word" in ${casePatterns(all)}) path_here="\${path_here:+$path_here }$word" ;; esac`,
    '  done',
    '  case "$path_here" in',
    ...cases,
    '  esac',
    "  _describe 'mailhatch' words_here || _files",
    '}',
    // Works both with eval, which registers the function, and as a file in $fpath, which runs it.
    'if [ "$funcstack[1]" = "_mailhatch" ]; then _mailhatch "$@"; else compdef _mailhatch mailhatch; fi',
  ].join('\n')
}

export function fishScript(all: Words[]): string {
  const lines = all.flatMap(({ path, words }) => {
    const seen = path.split(' ').map((name) => `__fish_seen_subcommand_from ${name}`)
    const condition = path === '' ? '__fish_use_subcommand' : seen.join('; and ')
    return words.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
      return `complete -c mailhatch -n '${condition}' ${what} -d '${description.replaceAll("'", '’')}'`
    })
  })
  return lines.join('\n')
}

/** The command names before the cursor. */
function pathInBash(all: Words[]): string {
  return [
    '  local path="" word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    `    case "$path $word" in ${casePatterns(all)}) path="\${path:+$path }$word" ;; esac`,
    '  done',
  ].join('\n')
}

function casePatterns(all: Words[]): string {
  const paths = all.flatMap(({ path }) => (path === '' ? [] : [path]))
  // Matches "<path> <word>". For the first word the path is empty, hence the leading space.
  return paths.map((path) => (path.includes(' ') ? `'${path}'` : `' ${path}'`)).join('|')
}

function zshText(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', '\\:')
}
