import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export type ButtonVariant = 'primary' | 'plain' | 'quiet' | 'danger'

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  plain: 'border border-line-strong/60 bg-raised text-ink hover:bg-hover',
  quiet: 'text-quiet hover:bg-hover hover:text-ink',
  danger: 'bg-danger text-on-danger hover:bg-danger-strong',
}

/** Also for links styled as buttons. */
export function buttonClass(variant: ButtonVariant, className?: string): string {
  return classNames(
    'inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md px-3 py-1 text-sm font-medium',
    'transition-colors disabled:cursor-not-allowed disabled:opacity-55',
    VARIANTS[variant],
    className,
  )
}

type Props = ComponentProps<'button'> & {
  variant?: ButtonVariant
  icon?: IconName
  /** Shows a spinner and blocks further clicks while a request runs. */
  isBusy?: boolean
}

export function Button({ variant = 'plain', icon, isBusy = false, className, children, disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      className={buttonClass(variant, className)}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...rest}
    >
      {isBusy ? <Spinner /> : icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}

/** An icon without text. The label is the accessible name and the tooltip. */
export function IconButton({
  icon,
  label,
  className,
  ...rest
}: { icon: IconName; label: string } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classNames(
        'inline-flex size-8 items-center justify-center rounded-md text-quiet transition-colors hover:bg-hover hover:text-ink',
        className,
      )}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  )
}

export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-3.5 shrink-0 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  )
}

/** A row of buttons that wraps. */
export function Buttons({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classNames('flex flex-wrap items-center gap-2', className)}>{children}</div>
}
