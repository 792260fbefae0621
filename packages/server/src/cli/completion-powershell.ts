import type { Words } from './completion-scripts.ts'

/** For Windows PowerShell and PowerShell 7. */
export function powershellScript(all: Words[]): string {
  const tables = all.map(({ path, words }) => {
    const entries = words.map(({ word, description }) => `${quoted(word)} = ${quoted(description)}`)
    return `    ${quoted(path)} = [ordered]@{ ${entries.join('; ')} }`
  })
  return [
    'Register-ArgumentCompleter -Native -CommandName mailhatch -ScriptBlock {',
    '  param($wordToComplete, $commandAst, $cursorPosition)',
    '  $words = @{',
    ...tables,
    '  }',
    "  $path = ''",
    '  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {',
    '    if ($element.Extent.EndOffset -ge $cursorPosition) { break }',
    '    $next = "$path $($element.Extent.Text)".Trim()',
    '    if ($words.ContainsKey($next)) { $path = $next }',
    '  }',
    '  $words[$path].GetEnumerator() | Where-Object { $_.Key.StartsWith($wordToComplete) } | ForEach-Object {',
    "    [System.Management.Automation.CompletionResult]::new($_.Key, $_.Key, 'ParameterValue', $_.Value)",
    '  }',
    '}',
  ].join('\n')
}

/** PowerShell ends a text at typographic quotes too. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, "''")}'`
}
