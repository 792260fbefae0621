#!/usr/bin/env node
// Runs on any Node that understands modules: finds a Node that Mailhatch can run on, then the program.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isRecent, newerNode } from './newer-node.js'
import { stopWithNpm } from './stop-with-npm.js'

stopWithNpm()
if (isRecent(process.versions.node)) await runHere()
else runOn(await newerNode())

async function runHere() {
  const { enableCompileCache, registerHooks } = await import('node:module')
  enableCompileCache()
  const source = new URL('../src/cli.ts', import.meta.url)
  if (!existsSync(source)) return import('../dist/cli.js')
  // In a clone everything runs from its TypeScript source, our other packages too.
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(specifier, { ...context, conditions: ['mailhatch-source', ...context.conditions] }),
  })
  return import(source.href)
}

function runOn(node) {
  // Not detached: it stays in our process group, so that what ends the group ends it too.
  const launched = fileURLToPath(new URL('launched.js', import.meta.url))
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
  const child = spawn(node, [launched, ...process.argv.slice(2)], { stdio })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
