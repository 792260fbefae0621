import { registerHooks } from 'node:module'

// Prints what the given preloads replace, without replacing anything, as lines of JSON.

const STUB = 'data:text/javascript,export const rewriteModules = (modules) => console.log(JSON.stringify(modules))'

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier.endsWith('/rewrite-modules.ts')
      ? { url: STUB, format: 'module', shortCircuit: true }
      : nextResolve(specifier, context),
})

for (const file of process.argv.slice(2)) await import(file)
// A preload may have changed it for the program that it is meant for.
process.once('exit', () => (process.exitCode = 0))
