import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { messagesText } from '../inbox/count-text.ts'
import { notify } from '../ui/notices.ts'

type Caught = { domain: string; moved: number; left: number }

/** Catches a domain, and moves in the mail that is there. */
export function useCatch(onDone: (caught: Caught) => void = () => {}) {
  return useAction(catchWhole, {
    changes: ['caughtDomains', 'otherSummary', 'messages', 'counts', 'mailboxes', 'tags'],
    onDone(caught) {
      notify(caughtText(caught))
      onDone(caught)
    },
  })
}

/** A call works for a limited time. While it makes progress, it is repeated. */
async function catchWhole(domain: string): Promise<Caught> {
  let moved = 0
  for (;;) {
    const part = await trpc.inbox.caught.add.mutate({ domain })
    moved += part.moved
    if (part.isDone || part.moved === 0) return { domain: part.domain, moved, left: part.left }
  }
}

function caughtText({ domain, moved, left }: Caught): string {
  const leftText = left === 0 ? '' : ` ${messagesText({ count: left })} could not be moved.`
  return `Mail to ${domain} now arrives in your inbox. ${messagesText({ count: moved })} moved there.${leftText}`
}
