#!/usr/bin/env node
// Runs on any Node that understands modules: finds a Node that Mailhatch can run on, then the program.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The first version with Argon2, for password hashes.
const NODE_MIN = { major: 24, minor: 7 }
const [major, minor] = process.versions.node.split('.').map(Number)

if (major > NODE_MIN.major || (major === NODE_MIN.major && minor >= NODE_MIN.minor)) await runHere()
else runOn(bundledNode())

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

/** The Node that npm installs in a checkout. Published packages have none. */
function bundledNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`)
    return join(dirname(manifest), 'bin', 'node')
  } catch {
    const needed = `${NODE_MIN.major}.${NODE_MIN.minor}`
    console.error(`Mailhatch needs Node ${needed} or newer; this is Node ${process.versions.node}.`)
    process.exit(1)
  }
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
