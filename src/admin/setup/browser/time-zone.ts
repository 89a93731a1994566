/** A new blog gets the time zone of the browser that sets it up. */
const field = document.querySelector<HTMLInputElement>('input[name="time_zone"]');
if (field) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
