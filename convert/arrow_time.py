"""ISO 8601 texts of times by whole numbers, for values beyond Arrow's kernels and Python's `datetime`."""

_SECONDS_A_DAY = 86_400
# Days of 400 Gregorian years, and the day of 1970-01-01 counted from the first of March of the year 0.
_DAYS_400_YEARS = 146_097
_EPOCH = 719_468


def date_text(days: int) -> str:
    """The date so many days after 1970-01-01; years outside 0 to 9999 with their sign ("+10000-01-01")."""
    cycle, day = divmod(days + _EPOCH, _DAYS_400_YEARS)
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    day -= 365 * year + year // 4 - year // 100
    shifted = (5 * day + 2) // 153  # months from March on: the leap day is the year's last
    month = shifted + 3 if shifted < 10 else shifted - 9
    year += 400 * cycle + (month <= 2)
    day -= (153 * shifted + 2) // 5 - 1
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def timestamp_text(value: int, digits: int) -> str:
    """The moment `value` after 1970, in units of 10^-digits seconds, without zone."""
    seconds, fraction = divmod(value, 10**digits)
    days, second = divmod(seconds, _SECONDS_A_DAY)
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return f"{date_text(days)}T{clock}" + (f".{fraction:0{digits}d}" if digits else "")


def duration_text(value: int, digits: int) -> str:
    """A duration in units of 10^-digits seconds, as seconds: "PT90S", "-PT0.001S"."""
    seconds, fraction = divmod(abs(value), 10**digits)
    part = f".{fraction:0{digits}d}".rstrip("0") if fraction else ""
    return f"{'-' if value < 0 else ''}PT{seconds}{part}S"
