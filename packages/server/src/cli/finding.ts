/** The result of a check. Those of `doctor --deep` have figures, and advice if something is wrong. */
export type Finding = { state: 'ok' | 'warn' | 'fail' | 'skip'; says: string; advice?: string; figures?: Figures }

/** By names that end in their unit. */
export type Figures = Record<string, number>

export type NamedFinding = { check: string } & Finding

export function ok(says: string, figures?: Figures): Finding {
  return { state: 'ok', says, ...(figures && { figures }) }
}

export function warn(says: string, advice?: string, figures?: Figures): Finding {
  return { state: 'warn', says, ...(advice !== undefined && { advice }), ...(figures && { figures }) }
}

export function fail(says: string, advice?: string, figures?: Figures): Finding {
  return { state: 'fail', says, ...(advice !== undefined && { advice }), ...(figures && { figures }) }
}

export function skip(says: string): Finding {
  return { state: 'skip', says }
}

/** A check that throws has failed. */
export function findingOf(error: unknown): Finding {
  return fail(error instanceof Error ? error.message : String(error))
}

const ORDER: Finding['state'][] = ['fail', 'warn', 'ok', 'skip']

/** Several findings of one check as one: the worst state, what each says, and the advice of the bad ones. */
export function joined(findings: Finding[]): Finding {
  const [worst, ...others] = findings.toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state))
  const state = worst?.state ?? 'skip'
  const advice = findings.flatMap((finding) => finding.advice ?? [])
  // Of two figures with the same name, that of the worse finding.
  const figures: Figures = { ...Object.assign({}, ...others.toReversed().map((one) => one.figures)), ...worst?.figures }
  return {
    state,
    says: findings.map(({ says }) => says).join('; '),
    ...(advice.length > 0 && { advice: Array.from(new Set(advice)).join(' ') }),
    ...(Object.keys(figures).length > 0 && { figures }),
  }
}
