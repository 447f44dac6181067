import { IconSearch, IconX } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import {
  Suspense,
  useCallback,
  useRef,
  useState,
  type FocusEvent,
  type FormEvent,
  type KeyboardEvent,
} from 'react'
import { paths } from '#web/paths.ts'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { named } from '#web/ui/overlays/tips.ts'
import keys from '../keys.module.css'
import bar from './Topbar.module.css'
import classes from './SearchBox.module.css'

const hint = 'Search Organizations, Users, Content, Transmissions'
const listId = 'bar-search-list'

const open = async () => (await import('../search/Palette.tsx')).Palette
const Palette = onDemand(open)
const prepare = () => void open().catch(() => undefined)

/**
 * A field with a list below it of what is found, fetched when somebody comes near. Below 992 px a button opens the field over the
 * bar, with the list below.
 */
export function SearchBox() {
  const [isOver, setOver] = useState(false)
  const [isListed, setListed] = useState(false)
  const [text, setText] = useState('')
  const [active, setActive] = useState<string>()
  // The text for whose answer Enter waits; any other key breaks the waiting off.
  const [awaited, setAwaited] = useState<string>()
  const [field, setField] = useState<HTMLInputElement | null>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const navigate = useNavigate()

  const close = useCallback(() => {
    setListed(false)
    setOver(false)
    setAwaited(undefined)
  }, [])
  const done = useCallback(() => {
    close()
    setText('')
  }, [close])
  const putAway = () => {
    close()
    if (isOver) requestAnimationFrame(() => opener.current?.focus())
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // The list is open, and its part of the console still on its way: it opens what it finds first.
    if (document.querySelector(`#${listId}[data-coming]`)) return setAwaited(text)
    const q = text.trim()
    done()
    void navigate({ to: paths.search(), search: q === '' ? {} : { q } })
  }
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') setAwaited(undefined)
    if (event.key === 'Escape' && (isListed || isOver)) {
      // The browser would take the words away as well.
      event.preventDefault()
      putAway()
    }
    if (event.key === 'ArrowDown' && !isListed) setListed(true)
  }
  return (
    <>
      <button
        type="button"
        ref={opener}
        className={`${bar.button} ${classes.open}`}
        {...named('Search')}
        aria-expanded={isOver}
        aria-controls="bar-search"
        onPointerOver={prepare}
        onFocus={prepare}
        onClick={() => {
          setOver(true)
          setListed(true)
          requestAnimationFrame(() => field?.focus())
        }}
      >
        <IconSearch size={20} aria-hidden />
      </button>
      <search id="bar-search" className={classes.search} data-open={isOver || undefined} onBlur={leave}>
        <form onSubmit={submit}>
          <IconSearch size={16} aria-hidden />
          <input
            ref={setField}
            type="search"
            name="q"
            role="combobox"
            autoComplete="off"
            aria-label={hint}
            placeholder={hint}
            aria-autocomplete="list"
            aria-expanded={isListed}
            aria-controls={isListed ? listId : undefined}
            aria-activedescendant={isListed ? active : undefined}
            value={text}
            onChange={({ currentTarget: { value } }) => {
              setText(value)
              setListed(true)
            }}
            onKeyDown={onKeyDown}
            onPointerOver={prepare}
            onFocus={prepare}
            onClick={() => setListed(true)}
          />
          <span className={`${classes.keys} ${keys.keys}`} aria-hidden>
            <kbd>Ctrl</kbd> <kbd>K</kbd>
          </span>
          <button
            type="button"
            className={`${bar.button} ${classes.close}`}
            aria-label="Close the search"
            onClick={putAway}
          >
            <IconX size={20} aria-hidden />
          </button>
        </form>
        {isListed && field && (
          // The field names its list as soon as it is open.
          <Suspense fallback={<div id={listId} role="listbox" aria-label="Search" data-coming />}>
            <Palette
              id={listId}
              {...{ text, field, awaited }}
              onAwait={setAwaited}
              onActive={setActive}
              onDone={done}
            />
          </Suspense>
        )}
      </search>
    </>
  )
}
