import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const SDK = fileURLToPath(new URL('../packages/sdk', import.meta.url))

/**
 * The SDK for `import` and, in its folder `cjs`, for `require`. Both have their own files and types, because a type file
 * counts as what the package.json next to it says.
 */
export function buildSdk(dist = `${SDK}/dist`): void {
  rmSync(dist, { recursive: true, force: true })
  execFileSync('tsc', ['-p', `${SDK}/tsconfig.build.json`, '--outDir', dist], { stdio: 'inherit' })
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  buildSync({
    entryPoints: files.filter((file) => file.endsWith('.js')).map((file) => `${dist}/${file}`),
    outbase: dist,
    outdir: `${dist}/cjs`,
    format: 'cjs',
    // Not what esbuild makes of the settings of the source.
    tsconfigRaw: {},
    target: 'node20',
    // server.ts asks for __filename there.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  for (const file of files.filter((file) => file.endsWith('.d.ts'))) {
    // tsc leaves the names of source files in types, where older compilers do not look for them.
    const types = readFileSync(`${dist}/${file}`, 'utf8').replace(
      /(from |import\()(['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g,
      '$1$2.js',
    )
    for (const target of [`${dist}/${file}`, `${dist}/cjs/${file}`]) {
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, types)
    }
  }
  writeFileSync(`${dist}/cjs/package.json`, '{ "type": "commonjs" }\n')
}
