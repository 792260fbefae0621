import { testSignatures } from './webhook-signatures.ts'

await testSignatures(1_000)
