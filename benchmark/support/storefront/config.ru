# frozen_string_literal: true

require "tools"
require "storefront/application"

# The storefront with one tool: Holdup as its Railtie and Puma's plugin set it up, another one's middleware
# outermost.
name = ENV.fetch("BENCH_TOOL")
tool = Bench::Tools.find(name) # before the application boots: perfm is a Rails engine
tool.prepare
measured = name == "holdup"
application = Bench::Storefront.boot(measured:, jit: ENV["BENCH_JIT"] != "off")
run(measured ? application : tool.around(application))
