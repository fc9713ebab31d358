-- Reads of the storefront in turn, so that every run asks for the same; prints its sums as JSON.
local paths = {"/products", "/bench", "/", "/products", "/orders?page=3", "/bench"}
local index = 0

request = function()
  index = index % #paths + 1
  return wrk.format("GET", paths[index])
end

done = function(summary)
  local errors = summary.errors
  io.write(string.format('\n{"requests":%d,"seconds":%.6f,"errors":%d}\n', summary.requests, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
