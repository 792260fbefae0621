import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const SDK = fileURLToPath(new URL('../packages/sdk', import.meta.url))

/**
 * Builds the SDK for `import` and, in the folder `cjs`, for `require`. Each has its own types, because the nearest
 * package.json decides the module kind of a type file.
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
    // Ignore the tsconfig of the source.
    tsconfigRaw: {},
    target: 'node20',
    // server.ts uses __filename in CommonJS.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  for (const file of files.filter((file) => file.endsWith('.d.ts'))) {
    // tsc keeps .ts extensions in type files, which older compilers cannot resolve.
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
