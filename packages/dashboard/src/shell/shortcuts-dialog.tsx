import { keyText, useActiveShortcuts } from '../keyboard.ts'
import { setPreference, usePreference } from '../preferences.ts'
import { Dialog } from '../ui/dialog.tsx'
import { CheckboxField } from '../ui/field.tsx'

/** The active shortcuts, and a switch that turns them off, because single keys are easy to press by accident. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const shortcuts = useActiveShortcuts()
  const keys = usePreference('keys')
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <CheckboxField
        label="Enable keyboard shortcuts"
        hint={`Applies to this browser. ${keyText('Mod+k')}, Tab, arrow keys and Enter always work.`}
        checked={keys === 'on'}
        onChange={(event) => setPreference('keys', event.target.checked ? 'on' : 'off')}
      />
      <dl className="mt-4 divide-y divide-line border-y border-line">
        {shortcuts.map(({ keys, label }) => (
          <div key={keys} className="flex items-center justify-between gap-4 py-1.5">
            <dt>{label}</dt>
            <dd className="flex gap-1">
              {keys.split(' ').map((key, index) => (
                <kbd
                  key={index}
                  className="min-w-6 rounded border border-line-strong/60 bg-sunken px-1.5 text-center font-mono text-xs/5"
                >
                  {keyText(key)}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
