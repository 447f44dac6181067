import { Input } from '@mantine/core'
import type { CSSProperties } from 'react'
import { brandOf, drawnColors } from '#contract/directory/brand.ts'
import { AccentColor } from '#contract/directory/organizations.ts'
import { picturePath } from '#contract/directory/picture-limits.ts'
import { initials } from '#web/ui/format.ts'
import { Strip } from '#web/ui/figures/Strip.tsx'
import classes from './BrandColor.module.css'
import type { OrganizationForm } from './values.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { form: OrganizationForm; logo: string | null }

const names: Record<(typeof drawnColors)[number], string> = {
  '#1d4f7c': 'Blue',
  '#0b6b58': 'Green',
  '#7c3a10': 'Brown',
  '#8a1f4d': 'Berry',
  '#4f3790': 'Violet',
  '#3d4450': 'Slate',
}

const colored = (color: string) => ({ '--color': color }) as CSSProperties

/** Six colors that were drawn, any other one, and what becomes of it. */
export function BrandColor({ form: { form, field }, logo }: Props) {
  const { id, name, label, error } = field('accentColor')
  const { accentColor, name: organization } = form.values
  const choose = (color: string | null) => form.setFieldValue('accentColor', color)
  const isDrawn = drawnColors.some((color) => color === accentColor)
  const isOwn = accentColor !== null && !isDrawn
  return (
    <Input.Wrapper
      labelElement="div"
      label={label}
      labelProps={{ id: `${id}-label` }}
      description="For the people who get your videos: on their mails, their video pages and their certificates."
      error={error}
    >
      <div className={`${shapes.row} ${classes.colors}`} role="radiogroup" aria-labelledby={`${id}-label`}>
        <label className={shapes.row}>
          <input
            type="radio"
            name={name}
            id={id}
            checked={accentColor === null}
            onChange={() => choose(null)}
          />
          As the product
        </label>
        {drawnColors.map((color) => (
          <input
            key={color}
            type="radio"
            name={name}
            aria-label={names[color]}
            className={classes.color}
            style={colored(color)}
            checked={accentColor === color}
            onChange={() => choose(color)}
          />
        ))}
        <label className={`${shapes.row} ${classes.own}`} data-chosen={isOwn || undefined}>
          <input
            type="color"
            value={isOwn && AccentColor.safeParse(accentColor).success ? accentColor : '#888888'}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
          {isOwn ? `Own color ${accentColor}` : 'Own color'}
        </label>
      </div>
      <Preview color={accentColor} {...{ organization, logo }} />
    </Input.Wrapper>
  )
}

const notes = {
  not: null,
  little: 'Darkened a little, so that white text can be read.',
  much: 'Darkened a lot, so that white text can be read.',
} as const

type PreviewProps = { color: string | null; organization: string; logo: string | null }

/** The head and the button of a mail, in the theme in which one looks at it. */
function Preview({ color, organization, logo }: PreviewProps) {
  const { light, dark, darkened } = brandOf(AccentColor.safeParse(color).success ? color : null)
  const shades = Object.fromEntries(
    Object.entries({ light, dark }).flatMap(([theme, { band, onBand, button, onButton }]) =>
      Object.entries({ band, onBand, button, onButton }).map(([part, hex]) => [`--${theme}-${part}`, hex]),
    ),
  ) as CSSProperties
  const shown = organization.trim() || 'Your organization'
  return (
    <>
      <div className={`${shapes.tile} ${classes.preview}`} style={shades} data-preview inert>
        <div className={`${shapes.named} ${classes.band}`}>
          {logo ? (
            <img src={picturePath(logo)} height={28} alt="" />
          ) : (
            <i className={shapes.disc} data-initials={initials(shown)} />
          )}
          {shown}
        </div>
        <div className={`${shapes.stack} ${shapes.pad} ${classes.page}`}>
          <Strip watched={[[0, 39]]} durationMs={100} />
          <span className={classes.button}>Watch the video</span>
        </div>
      </div>
      <p role="status" className={`${shapes.lead} ${classes.note}`}>
        {notes[darkened]}
      </p>
    </>
  )
}
