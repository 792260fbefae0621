import { seededRandom } from '../support/seeded-random.ts'
import { deliveryId, type Box, type Replica } from './replica.ts'

/** One call of a replica of either version, with the same effect. */
export type Change = (replica: Replica) => Promise<void>

export async function play(changes: Change[], replica: Replica): Promise<void> {
  for (const change of changes) await change(replica)
}

const ROOT = 'root.test'
/** Some teams have mailboxes there, and lose them when it becomes the domain of another. */
const NEXT = 'next.test'
const TEAMS = ['one', 'two', 'three']

/** Random changes that a server of either version accepts, as if one program had made them one after another. */
export function randomHistory(seed: number, length: number): Change[] {
  const { below, chance } = seededRandom(seed)
  const oneOf = <Item>(items: Item[]): Item | undefined => items[below(items.length)]
  const domains = new Map<string, string | null>(TEAMS.map((id) => [id, id === 'one' ? null : `${id}.test`]))
  let boxes: (Box & { isHeld: boolean })[] = []
  const lastPositions = new Map(TEAMS.map((id) => [id, 0]))
  const sent: { teamId: string; mailbox: Box; id: string }[] = []
  let pending: { teamId: string; id: string }[] = []
  let count = 0

  const isNextFree = () => !Array.from(domains.values()).includes(NEXT)

  function addMailbox(): Change {
    const teamId = oneOf(TEAMS)!
    const isCaught = chance(0.2)
    const own = domains.get(teamId) ?? ROOT
    const domain = isCaught ? oneOf(['caught.test', 'two.test'])! : isNextFree() && chance(0.3) ? NEXT : own
    const box = { teamId, id: `box${++count}`, name: `name${count}`, domain }
    boxes.push({ ...box, isHeld: !isCaught })
    return (replica) => replica.addMailbox({ ...box, isCaught })
  }

  function addTakenMailbox(): Change {
    const taken = oneOf(boxes.filter(({ isHeld, domain }) => isHeld && domain === ROOT))
    if (!taken) return addMailbox()
    const box = { ...taken, teamId: 'three', id: `box${++count}` }
    return (replica) => replica.addMailbox({ ...box, isCaught: false })
  }

  function addMessage(): Change {
    const found = oneOf(boxes)
    if (!found) return addMailbox()
    const mailbox = { ...found }
    const { teamId } = mailbox
    const id = `message${++count}`
    const endpoints = chance(0.3) ? [`endpoint-${teamId}`] : []
    lastPositions.set(teamId, lastPositions.get(teamId)! + 1)
    sent.push({ teamId, mailbox, id })
    pending.push(...endpoints.map((endpointId) => ({ teamId, id: deliveryId(id, endpointId) })))
    return (replica) => replica.addMessage(mailbox, { id, text: `Text ${id}` }, endpoints)
  }

  function repeatMessage(): Change {
    const again = oneOf(sent)
    if (!again) return addMessage()
    return (replica) => replica.addMessage(again.mailbox, { id: again.id, text: 'Another text' })
  }

  function somePositions(): { teamId: string; positions: number[] } {
    const teamId = oneOf(TEAMS)!
    return { teamId, positions: [1, 2, 3].map(() => 1 + below(lastPositions.get(teamId)! + 1)) }
  }

  function markMessages(): Change {
    const { teamId, positions } = somePositions()
    const isRead = chance(0.6)
    return (replica) => replica.markMessages(teamId, positions, isRead)
  }

  function markAllRead(): Change {
    const { teamId, positions } = somePositions()
    return (replica) => replica.markAllRead(teamId, positions[0]!)
  }

  function removeMessages(): Change {
    const { teamId, positions } = somePositions()
    return (replica) => replica.removeMessages(teamId, positions)
  }

  function renameMailbox(): Change {
    const box = oneOf(boxes.filter(({ isHeld }) => isHeld))
    if (!box) return addMailbox()
    const before = { ...box }
    box.name = `name${++count}`
    const { name } = box
    return (replica) => replica.renameMailbox(before, name)
  }

  function hideMailbox(): Change {
    const box = oneOf(boxes)
    if (!box) return addMailbox()
    boxes = boxes.filter((one) => one !== box)
    return (replica) => replica.hideMailbox(box)
  }

  function moveTeam(): Change {
    const teamId = oneOf(TEAMS)!
    const domain = isNextFree() && chance(0.4) ? NEXT : `moved${++count}.test`
    domains.set(teamId, domain)
    for (const box of boxes) {
      if (box.teamId === teamId && box.isHeld) box.domain = domain
      if (box.teamId !== teamId && box.domain === domain) box.isHeld = false
    }
    return (replica) => replica.moveTeam(teamId, domain)
  }

  function finishAttempt(): Change {
    const delivery = oneOf(pending)
    if (!delivery) return addMessage()
    const status = chance(0.5) ? 'success' : 'pending'
    if (status === 'success') pending = pending.filter((one) => one !== delivery)
    return (replica) => replica.finishAttempt(delivery, status)
  }

  function addRejection(): Change {
    const domain = oneOf(['nobody.test', domains.get('two')!])!
    const code = `code${++count}`
    return (replica) => replica.addRejection(domain, code)
  }

  const kinds: [weight: number, kind: () => Change][] = [
    [12, addMessage],
    [4, repeatMessage],
    [4, addMailbox],
    [1, addTakenMailbox],
    [4, markMessages],
    [1, markAllRead],
    [3, removeMessages],
    [2, renameMailbox],
    [1, hideMailbox],
    [1, moveTeam],
    [5, finishAttempt],
    [2, addRejection],
  ]
  const choices = kinds.flatMap(([weight, kind]) => Array.from({ length: weight }, () => kind))
  const first = TEAMS.flatMap((id): Change[] => {
    const team = { id, domain: domains.get(id)! }
    return [(replica) => replica.addTeam(team), (replica) => replica.addEndpoint({ teamId: id, id: `endpoint-${id}` })]
  })
  return [...first, ...Array.from({ length: length - first.length }, () => oneOf(choices)!())]
}
