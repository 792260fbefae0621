import type { Part } from './parts.ts'
import type { Proof } from './proof.ts'

/** `code`: with which the part ended, or null after a signal. `reasons`: why it failed, as far as its tests say. */
type Ended = { code: number | null; proofs: Proof[]; reasons: string[] }

/** A part passes if it ended well and has written all of its proofs. */
export function judge(part: Pick<Part, 'proofs'>, { code, proofs, reasons }: Ended) {
  const all = [...reasons]
  if (proofs.length !== part.proofs) all.push(`It has ${proofs.length} proofs of ${part.proofs}.`)
  if (code !== 0 && all.length === 0) all.push(`It ended with code ${code}.`)
  return { outcome: all.length === 0 ? ('passed' as const) : ('failed' as const), reasons: all }
}
