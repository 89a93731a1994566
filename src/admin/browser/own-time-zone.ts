const field = document.querySelector<HTMLInputElement>('input[name="time_zone"]');
if (field) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
