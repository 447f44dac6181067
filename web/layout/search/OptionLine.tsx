import { IconCompass, IconListSearch } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { paths } from '#web/paths.ts'
import { HitLine, Sign } from './HitLine.tsx'
import type { SearchPlace } from './places.ts'
import type { Option } from './sections.ts'
import { toMoment } from './words.ts'
import palette from './Palette.module.css'
import menu from '#web/ui/overlays/menu.module.css'
import two from '#web/ui/look/twoLines.module.css'
import classes from './HitLine.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  id: string
  option: Option
  isActive: boolean
  /** Of several organizations. */
  isMixed: boolean
  onChoose: () => void
}

/** A line of the list: a link where it leads to a page, so that the browser's own ways of opening one work too. */
export function OptionLine({ id, option, isActive, isMixed, onChoose }: Props) {
  const shared = {
    id,
    role: 'option',
    'aria-selected': isActive,
    tabIndex: -1,
    className: `${menu.row} ${palette.option}`,
    onClick: onChoose,
  } as const
  const middle = (event: { button: number }) => event.button === 1 && onChoose()
  const link = { ...shared, preload: false, onAuxClick: middle } as const
  switch (option.type) {
    case 'hit':
      return (
        <Link {...link} to={option.hit.path} {...toMoment(option.hit)}>
          <HitLine hit={option.hit} isMixed={isMixed} />
        </Link>
      )
    case 'visit':
      return (
        <Link {...link} to={option.visit.path}>
          <Sign {...option.visit} />
          <OptionText title={option.visit.title} detail={option.visit.detail} />
        </Link>
      )
    case 'all':
      return (
        <Link {...link} to={paths.search()} search={{ q: option.q }}>
          <span className={`${shapes.blank} ${two.sign}`} aria-hidden>
            <IconListSearch size={18} stroke={1.6} />
          </span>
          <OptionText title={`All results for “${option.q}”`} detail="" />
        </Link>
      )
    case 'place':
      return <PlaceLine place={option.place} shared={shared} />
  }
}

function PlaceLine({ place, shared }: { place: SearchPlace; shared: object & { onClick: () => void } }) {
  const { label, about, icon: Icon = IconCompass, to, search = {}, run } = place
  const content = (
    <>
      <span className={`${shapes.blank} ${two.sign}`} aria-hidden>
        <Icon size={18} stroke={1.6} />
      </span>
      <OptionText title={label} detail={about} />
    </>
  )
  if (to !== undefined)
    return (
      <Link {...shared} preload={false} to={to} search={search}>
        {content}
      </Link>
    )
  const act = () => {
    shared.onClick()
    run?.()
  }
  return (
    <button type="button" {...shared} onClick={act}>
      {content}
    </button>
  )
}

function OptionText({ title, detail }: { title: string; detail: string }) {
  return (
    <span className={two.lines}>
      <span>{title}</span>
      <span className={classes.detail}>{detail}</span>
    </span>
  )
}
