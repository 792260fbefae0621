import { CopyButton } from './copy-button.tsx'

/** Code with a copy button. Long lines wrap. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex items-center justify-between border-b border-line py-0.5 pl-3 pr-1 text-xs text-quiet">
        {label}
        <CopyButton text={code} what={`Copy: ${label}`} />
      </figcaption>
      <pre
        tabIndex={0}
        className="max-h-96 overflow-auto whitespace-pre-wrap px-3 py-2.5 font-mono text-xs/relaxed focus-visible:-outline-offset-2"
      >
        {code}
      </pre>
    </figure>
  )
}

/** A short value with a copy button, such as an address. */
export function CopyValue({ value, what }: { value: string; what: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5 rounded-md border border-line bg-sunken pl-2.5 align-middle">
      <code className="min-w-0 py-1 font-mono text-sm">{value}</code>
      <CopyButton text={value} what={`Copy ${what}`} />
    </span>
  )
}
