# frozen_string_literal: true

# instructions_rails.rb COUNT TOOL...: the storefront in this process, without a server; runs so many requests
# through each tool's middleware, in forked processes. Prints which they are.

require "json"
require "storefront/application"
require "forked"
require "measured_loops"

WARM_UP = 20
application = Bench::Storefront.boot(jit: false) # it would compile in one step and not in the next
ENV.delete("HOLDUP_ENABLED") # kept Holdup from starting with the application

# What Puma hands to Rails.
environment = lambda do
  {
    **Bench::MeasuredLoops::ENVIRONMENT,
    "PATH_INFO" => Bench::Storefront::PATH,
    "HTTP_HOST" => "127.0.0.1",
    "HTTP_ACCEPT" => "*/*",
    "REMOTE_ADDR" => "127.0.0.1",
    "rack.input" => StringIO.new,
    "rack.errors" => $stderr,
    "rack.multithread" => true,
    "rack.hijack?" => false,
    Bench::MeasuredLoops::FINISHED => []
  }
end
work = Bench::MeasuredLoops.new(Bench::Tools::None.new)
requests = ->(stack, times) { times.times { work.request(stack, environment.call) } }
requests.call(application, WARM_UP)

count = ARGV.shift.to_i
pids = ARGV.to_h { |name| [name, Bench::Tools.find(name)] }.transform_values do |tool|
  Bench::Forked.steps(count) do |times|
    tool.start
    tool.settle
    requests.call(tool.around(application), times)
  end
end
puts JSON.generate(pids)
