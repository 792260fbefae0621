import { useState, type ComponentProps } from 'react'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { notify } from '../ui/notices.ts'
import { Panel } from '../ui/page.tsx'

type Options = Pick<ComponentProps<typeof TextField>, 'label' | 'required' | 'autoComplete'> & {
  present: string
  action: string
  save: (name: string) => Promise<unknown>
  /** Names of queries that are outdated by it. */
  changes: string[]
  /** What people are told when it is saved. */
  saved: string
}

/** A name to change: of a team, of a person. */
export function NamePanel({ present, action, save, changes, saved, ...field }: Options) {
  const [name, setName] = useState(present)
  const rename = useAction(() => save(name), { changes, onDone: () => notify(saved) })
  return (
    <Panel>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          rename.run()
        }}
      >
        <TextField
          {...field}
          className="w-72 max-w-full"
          value={name}
          problems={rename.failure?.details['name']}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" isBusy={rename.isRunning} disabled={name.trim() === present} className="min-h-9">
          {action}
        </Button>
      </form>
      {rename.failure && <FailureNotice failure={rename.failure} />}
    </Panel>
  )
}
