import type { CSSProperties } from 'react'
import { picturePath } from '#contract/directory/picture-limits.ts'
import { initials } from './format.ts'
import classes from './Avatar.module.css'

type Props = {
  name: string
  /** Key of the picture; the initials stand in for one that is missing. */
  picture?: string | null | undefined
  size?: 24 | 32 | 36 | 48 | 72
}

/** A face or initials in a round; decoration beside a name, so screen readers skip it. */
export function Avatar({ name, picture, size = 32 }: Props) {
  if (picture) {
    return (
      <img
        className={classes.avatar}
        src={picturePath(picture)}
        data-part="avatar"
        width={size}
        height={size}
        style={sized(size)}
        alt=""
        loading="lazy"
        decoding="async"
      />
    )
  }
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7)
  return (
    <span
      className={classes.avatar}
      aria-hidden
      data-initials={initials(name)}
      data-part="avatar"
      style={sized(size, hue)}
    />
  )
}

type Sized = CSSProperties & Record<`--${string}`, string | number>

function sized(size: number, hue = 0): Sized {
  return { '--size': `${size}px`, '--hue': hue }
}

/** The logo of an organization in a box of one width, so that the names beside it line up. */
export function OrganizationMark({ name, picture }: Pick<Props, 'name' | 'picture'>) {
  return (
    <span className={classes.mark} data-part="mark">
      {picture ? (
        <img src={picturePath(picture)} width={40} height={24} alt="" loading="lazy" decoding="async" />
      ) : (
        <Avatar name={name} size={24} />
      )}
    </span>
  )
}
