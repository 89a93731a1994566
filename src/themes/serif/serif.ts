import css from "./serif.css" with { type: "text" };

export const serif = {
  css,
  accent: "#8a3b12",
  imageSizes: "(min-width: 46rem) 44rem, 100vw",
  covers: null,
};
