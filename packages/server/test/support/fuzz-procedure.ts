import { ODD_VALUES } from './fuzz-body.ts'
import type { FuzzIds, FuzzMaterial } from './fuzz-request.ts'
import { FUZZ_PROCEDURES } from './fuzz-routes.ts'
import type { Json } from './fuzz-schema.ts'
import type { SeededRandom } from './seeded-random.ts'

const TEXTS = ['qa', 'fuzz-3', 'x@y.test', 'in.example', 'c0', '2024-01-31', 'https://hooks.example/x', 'api.full']

/** A call of one procedure, or of several in one request. */
export function fuzzProcedure(random: SeededRandom, material: FuzzMaterial) {
  const { path, type, names } = random.pick(FUZZ_PROCEDURES)
  const input = random.chance(0.95) ? inputOf(random, path, names, material) : random.pick(ODD_VALUES)
  const usualMethod = type === 'mutation' ? 'POST' : 'GET'
  if (random.chance(0.1)) return { usualMethod, operation: null, ...batchOf(random, path, input) }
  const called = { usualMethod, operation: path, body: input }
  if (type === 'mutation') return { ...called, target: `/trpc/${path}` }
  const written = random.chance(0.9) ? encodeURIComponent(JSON.stringify(input).toWellFormed()) : 'x%20{'
  return { ...called, target: `/trpc/${path}${random.chance(0.9) ? `?input=${written}` : ''}` }
}

/** Also more than the server allows. */
function batchOf(random: SeededRandom, path: string, input: Json) {
  const calls = random.pick([1, 2, 5, 20, 21, 60])
  const paths = Array.from({ length: calls }, () => (random.chance(0.5) ? path : random.pick(FUZZ_PROCEDURES).path))
  const body = Object.fromEntries(paths.map((_, index) => [index, input]))
  const text = JSON.stringify(body)
  const target = `/trpc/${paths.join(',')}?batch=1`
  const short = text.length < 3_000 ? `&input=${encodeURIComponent(text.toWellFormed())}` : ''
  return { target: `${target}${short}`, body }
}

function inputOf(random: SeededRandom, path: string, names: string[], { ids }: FuzzMaterial): Json {
  const value = (name: string): Json => {
    if (random.chance(0.25)) return random.pick(ODD_VALUES)
    if (name === 'ids') return Array.from({ length: random.pick([0, 1, 3, 60]) }, () => random.pick(ids.messages))
    if (/id$/i.test(name)) return random.pick(idsOf(random, path, name, ids))
    if (/^(?:is|has|remote|active)/.test(name)) return random.chance(0.5)
    if (/limit|offset|Than|attachment|expires/.test(name)) return random.pick([0, 1, 50, 1e6, -1, 0.5])
    if (name === 'status') return random.pick(['pending', 'success', 'failed'])
    if (name === 'name' && random.chance(0.5)) return `name-${random.below(100_000)}`
    return random.pick(TEXTS)
  }
  // Few names for inputs where most are optional, and most names for the others.
  const share = random.pick([0.1, 0.9])
  const chosen = names.filter(() => random.chance(share))
  if (random.chance(0.1)) chosen.push('__proto__', 'unknown')
  return Object.fromEntries(chosen.map((name) => [name, value(name)]))
}

/** Those of the right kind, or now and then of another. */
function idsOf(random: SeededRandom, path: string, name: string, ids: FuzzIds): string[] {
  if (random.chance(0.1)) return [random.pick(Object.values(ids).flat())]
  if (name === 'deliveryId') return ids.deliveries
  if (path.startsWith('webhooks.')) return ids.webhooks
  if (path.startsWith('apiKeys.')) return ids.keys
  if (path.includes('scenarios')) return ids.scenarios
  return path.startsWith('inbox.mailboxes') || name === 'mailboxId' ? ids.mailboxes : ids.messages
}
