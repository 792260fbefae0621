import type { ScenarioStep } from '@mailhatch/sdk'

/** Options that contradict each other or would have no effect. Null if all have a meaning. */
export function findMeaningless(steps: ScenarioStep[]): string | null {
  for (const [index, step] of steps.entries()) {
    const problem = problemOf(step)
    if (problem !== null) return `Step ${index + 1}: ${problem}`
  }
  return null
}

function problemOf(step: ScenarioStep): string | null {
  if (step.do === 'reject') {
    const { code, enhanced } = step
    const digit = String(code)[0]!
    if (enhanced === undefined || enhanced.startsWith(digit)) return null
    return `the status ${enhanced} contradicts the code ${code}. It has to begin with ${digit}.`
  }
  if (step.do !== 'cut') return null
  const { at = 'data', afterBytes, isStored } = step
  if (afterBytes !== undefined && at !== 'data') {
    return `only a cut at \`data\` can come after some bytes (\`afterBytes\`, in the text form \`after\`), not one at \`${at}\`.`
  }
  if (isStored && at !== 'after-data') {
    return `only a cut at \`after-data\` can store the mail (\`isStored\`, in the text form \`stored\`), not one at \`${at}\`.`
  }
  return null
}
