/**
 * Time passes in jumps, as it does for a process that waits for a processor. Finds tests that depend on how long a step
 * takes.
 */
const JUMP_CHANCE = 0.2
const JUMP_MS_MAX = 120
/** In all. Longer than the silence after which a stream sends a ping, and shorter than what tests wait for. */
const JUMPED_MS_MAX = 20_000

const now = performance.now.bind(performance)
let jumpedMs = 0

performance.now = () => {
  if (jumpedMs < JUMPED_MS_MAX && Math.random() < JUMP_CHANCE) jumpedMs += Math.random() * JUMP_MS_MAX
  return now() + jumpedMs
}
