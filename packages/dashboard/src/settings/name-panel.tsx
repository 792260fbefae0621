import { useState, type ComponentProps } from 'react'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { notify } from '../ui/notices.ts'
import { Panel } from '../ui/page.tsx'

type Options = Pick<ComponentProps<typeof TextField>, 'label' | 'required' | 'autoComplete'> & {
  current: string
  action: string
  save: (name: string) => Promise<unknown>
  /** Names of the queries to reload afterwards. */
  changes: string[]
  /** The notice after saving. */
  saved: string
}

/** A form to change the name of a team or a user. */
export function NamePanel({ current, action, save, changes, saved, ...field }: Options) {
  const [name, setName] = useState(current)
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
        <Button type="submit" isBusy={rename.isRunning} disabled={name.trim() === current} className="min-h-9">
          {action}
        </Button>
      </form>
      {rename.failure && <FailureNotice failure={rename.failure} />}
    </Panel>
  )
}
