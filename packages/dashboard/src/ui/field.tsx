import { useId, type ComponentProps, type ReactNode } from 'react'
import { classNames } from './class-names.ts'

const CONTROL =
  'block w-full min-w-0 min-h-9 rounded-md border border-line-strong bg-raised px-2.5 py-1.5 text-base text-ink ' +
  'aria-invalid:border-danger disabled:cursor-not-allowed disabled:opacity-60 max-sm:text-lg'

type Common = {
  label: string
  hint?: ReactNode
  /** Validation errors from the server. */
  problems?: string[] | undefined
}

export function TextField({ label, hint, problems = [], className, ...rest }: Common & ComponentProps<'input'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} problems={problems} className={className}>
      <input id={id} className={CONTROL} {...described(id, hint, problems)} {...rest} />
    </Frame>
  )
}

export function TextAreaField({ label, hint, problems = [], className, ...rest }: Common & ComponentProps<'textarea'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} problems={problems} className={className}>
      <textarea id={id} className={classNames(CONTROL, 'font-mono')} {...described(id, hint, problems)} {...rest} />
    </Frame>
  )
}

/** A native select, which works with keyboards, screen readers and phones. */
export function SelectField({ label, hint, problems = [], className, ...rest }: Common & ComponentProps<'select'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} problems={problems} className={className}>
      <select id={id} className={CONTROL} {...described(id, hint, problems)} {...rest} />
    </Frame>
  )
}

export function CheckboxField({ label, hint, className, ...rest }: Omit<Common, 'problems'> & ComponentProps<'input'>) {
  const id = useId()
  return (
    <div className={classNames('flex items-start gap-2.5', className)}>
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-4.5 shrink-0 accent-accent"
        {...described(id, hint, [])}
        {...rest}
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-quiet">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

type FrameProps = {
  id: string
  label: string
  hint: ReactNode
  problems: string[]
  className: string | undefined
  children: ReactNode
}

function Frame({ id, label, hint, problems, className, children }: FrameProps) {
  return (
    <div className={classNames('min-w-0 space-y-1', className)}>
      <label htmlFor={id} className="block text-sm font-medium">
        {label}
      </label>
      {children}
      {problems.length > 0 && (
        <p id={`${id}-problems`} className="text-sm text-danger">
          {problems.join(' ')}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-quiet">
          {hint}
        </p>
      )}
    </div>
  )
}

function described(id: string, hint: ReactNode, problems: string[]) {
  const ids = [problems.length > 0 && `${id}-problems`, hint && `${id}-hint`].filter(Boolean).join(' ')
  return { 'aria-describedby': ids || undefined, 'aria-invalid': problems.length > 0 || undefined }
}
