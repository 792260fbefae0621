import { startAttack } from './attack.ts'
import type { Attack } from './attack-kinds.ts'

// The program of the attacking process: starts when it receives its options, and then sends its counts regularly.

const COUNTS_EVERY_MS = 500

process.once('message', (attack: Attack) => {
  const { counts } = startAttack(attack)
  setInterval(() => process.send!(counts()), COUNTS_EVERY_MS)
})
// The test has ended.
process.on('disconnect', () => process.exit())
