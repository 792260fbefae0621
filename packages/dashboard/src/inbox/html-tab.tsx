import type { MessageDetail } from '@mailhatch/sdk'
import { useState } from 'react'
import { shownTheme } from '../theme.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Icon } from '../ui/icon.tsx'
import { useMailSource } from './mail-source.ts'
import { setAlwaysImages, useAlwaysImages } from './remote-images.ts'
import { printPages } from './print-pages.ts'
import { visibleText } from './safe-text.ts'
import { ViewFrame, type Scheme } from './view-frame.tsx'

const SCHEMES = [
  { text: 'Light', label: 'Light colour scheme', value: 'light' },
  { text: 'Dark', label: 'Dark colour scheme, if the message has one', value: 'dark' },
] as const

const WIDTHS = [
  { text: '375', label: 'Phone width', value: 375 },
  { text: '768', label: 'Tablet width', value: 768 },
  { text: 'Full', label: 'Full width', value: null },
]

/** URLs that a browser loads without a click. */
const REMOTE_IMAGE = /(?:\ssrc\s*=|\sbackground\s*=|url\()\s*["']?\s*https?:/i

export function HtmlTab({ message }: { message: MessageDetail }) {
  const [isShownOnce, setShownOnce] = useState(false)
  const isAlways = useAlwaysImages(message.mailboxId)
  const remoteImages = isAlways || isShownOnce
  const [widthPixels, setWidthPixels] = useState<number | null>(null)
  // By default the message gets the colour scheme of the page.
  const [scheme, setScheme] = useState<Scheme>(() => shownTheme())
  const show = (shown: Shown) => {
    setShownOnce(shown === 'once')
    setAlwaysImages(message.mailboxId, shown === 'always')
  }
  const hasRemoteImages = REMOTE_IMAGE.test(message.htmlContent ?? '')
  return (
    <div className="flex h-full min-h-96 flex-col print:block print:h-auto">
      <div
        className={classNames(
          'flex flex-wrap items-center gap-2 border-b border-line bg-sunken px-3 py-1.5 text-xs text-quiet print:hidden',
          !hasRemoteImages && 'max-sm:hidden',
        )}
      >
        {hasRemoteImages && (
          <RemoteImages
            mailbox={message.mailbox}
            shown={isAlways ? 'always' : isShownOnce ? 'once' : 'never'}
            onShow={show}
          />
        )}
        <div className="ml-auto flex items-center gap-3 max-sm:hidden">
          <Choice label="Colour scheme" choices={SCHEMES} chosen={scheme} onChoose={setScheme} />
          <Choice label="Width" choices={WIDTHS} chosen={widthPixels} onChoose={setWidthPixels} />
        </div>
      </div>
      <div className={classNames('flex min-h-0 grow', widthPixels !== null && 'bg-sunken')}>
        <ViewFrame
          title="HTML content of the message"
          id={message.id}
          remoteImages={remoteImages}
          widthPixels={widthPixels}
          scheme={scheme}
          printPages={printPages(message)}
        />
      </div>
    </div>
  )
}

type Shown = 'never' | 'once' | 'always'

function RemoteImages({ mailbox, shown, onShow }: { mailbox: string; shown: Shown; onShow: (shown: Shown) => void }) {
  const name = visibleText(mailbox)
  const { isInbox } = useMailSource()
  const texts = {
    never: 'Remote images are blocked, so the sender cannot track you.',
    once: 'Remote images are shown once.',
    always: `Remote images are always shown in ${name} in this browser.`,
  }
  const buttonStyle = 'min-h-6 shrink-0 text-xs'
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      <span className="flex min-w-0 items-center gap-2">
        <Icon name="warning" size={14} />
        <span role="status" className="min-w-0 break-words">
          {texts[shown]}
        </span>
      </span>
      {shown === 'never' && (
        <Button className={buttonStyle} onClick={() => onShow('once')}>
          Show once
        </Button>
      )}
      {shown === 'always' ? (
        <Button className={buttonStyle} onClick={() => onShow('never')}>
          Block images
        </Button>
      ) : (
        isInbox && (
          <Button className={buttonStyle} onClick={() => onShow('always')}>
            Always show in {name}
          </Button>
        )
      )}
    </div>
  )
}

type ChoiceProps<Value> = {
  label: string
  choices: readonly { text: string; label: string; value: Value }[]
  chosen: Value
  onChoose: (value: Value) => void
}

function Choice<Value>({ label, choices, chosen, onChoose }: ChoiceProps<Value>) {
  return (
    <div role="group" aria-label={label} className="flex gap-0.5">
      {choices.map(({ text, label: title, value }) => (
        <button
          key={text}
          type="button"
          aria-pressed={value === chosen}
          title={title}
          onClick={() => onChoose(value)}
          className={classNames(
            'min-h-6 rounded px-2 tabular-nums',
            value === chosen ? 'bg-accent-soft font-medium text-accent' : 'hover:bg-hover hover:text-ink',
          )}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
