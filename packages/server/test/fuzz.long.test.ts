// The same test with more requests, and others in each run. Its title names the seed.
process.env['FUZZ_REQUESTS'] ??= '20000'
process.env['FUZZ_SEED'] ??= String(Math.floor(Math.random() * 2 ** 31))
await import('./fuzz.test.ts')
