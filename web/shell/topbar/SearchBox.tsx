import { IconSearch, IconX } from '@tabler/icons-react'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useRef, useState, type FocusEvent, type FormEvent } from 'react'
import { paths } from '#web/paths.ts'

const hint = 'Search Organizations, Users, Content, Transmissions'

/** The list that answers: content while one is in content, else organizations. */
function listFor(path: string): string {
  return path.startsWith(paths.content()) ? paths.content() : paths.organizations()
}

/** Leads to a list page with the words. Below 1200 px a button opens the field over the bar. */
export function SearchBox() {
  const [isOpen, setOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const path = useLocation({ select: ({ pathname }) => pathname })
  const navigate = useNavigate()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const q = field.current?.value.trim() ?? ''
    setOpen(false)
    void navigate({ to: listFor(path), search: q === '' ? {} : { q } })
  }
  const close = () => {
    setOpen(false)
    requestAnimationFrame(() => opener.current?.focus())
  }
  // Over the bar it hides what Tab would reach next.
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) setOpen(false)
  }
  return (
    <>
      <button
        type="button"
        ref={opener}
        className="bar-button bar-search-open"
        aria-label="Search"
        title="Search"
        aria-expanded={isOpen}
        aria-controls="bar-search"
        onClick={() => {
          setOpen(true)
          requestAnimationFrame(() => field.current?.focus())
        }}
      >
        <IconSearch size={20} aria-hidden />
      </button>
      <search id="bar-search" className="bar-search" data-open={isOpen || undefined} onBlur={leave}>
        <form onSubmit={submit}>
          <IconSearch size={16} aria-hidden />
          <input
            onKeyDown={(event) => event.key === 'Escape' && isOpen && close()}
            ref={field}
            type="search"
            name="q"
            aria-label={hint}
            placeholder={hint}
          />
          <button
            type="button"
            className="bar-button bar-search-close"
            aria-label="Close the search"
            onClick={close}
          >
            <IconX size={20} aria-hidden />
          </button>
        </form>
      </search>
    </>
  )
}
