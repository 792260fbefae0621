import { testSignatures } from './webhook-signatures.ts'

// The long form has a thousand.
await testSignatures(150)
