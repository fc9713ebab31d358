# frozen_string_literal: true

# Ten endpoints that wait for a moment, as for a database. `?grow`: the request collects rows until its
# process is killed. `?keep`: any request leaves a megabyte behind.
ROWS = []
ROW_TEXT = "a row of a report that nobody has limited "
KEPT_BYTES = 1_000_000

run(lambda do |env|
  IO.select(nil, nil, nil, 0.005 + rand * 0.02)
  case env["QUERY_STRING"]
  when "grow" then loop { ROWS << {number: ROWS.size, text: ROW_TEXT * 20} }
  when "keep" then ROWS << ("x" * KEPT_BYTES)
  end
  [200, {}, ["ok"]]
end)
