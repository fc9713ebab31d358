# frozen_string_literal: true

require "test_helper"

# The dashboard inside of frameworks: found at the path that it is mounted at, linked to it, and not measured.
class WebIntegrationTest < Minitest::Test
  LIB = File.expand_path("../../lib", __dir__)
  ASK = <<~RUBY
    require "bundler/setup"
    require "rack"
    require "rack/mock_request"

    # Pages, links and what was measured of an application with the dashboard at /inside/holdup and a page at
    # /hello.
    def ask(app, at: "/inside/holdup")
      request = Rack::MockRequest.new(app)
      local = {"HTTP_HOST" => "localhost"}
      paths = ["", "/", "/requests?since=6h", "/calculator", "/health"]
      pages = paths.map { |path| request.get(at + path, local) }
      links = pages.flat_map { |page| page.body.scan(/(?:href|action|src|data-series)="([^"#]+)"/).flatten }
      files = links.grep(%r{/assets/|/series/}).uniq
      parts = files.map { |link| request.get(link.gsub("&amp;", "&"), local).status }
      hello = request.get("/hello", local)
      outside = links.reject { |link| link.start_with?(at + "/") }
      cookie = pages.last.headers["set-cookie"]
      puts [pages.map(&:status).uniq, outside, parts.uniq, hello.status, measured, cookie].inspect
    end

    # Units of this process.
    def measured
      require "holdup/segment/directory"
      entries = Holdup::Segment::Directory.new(ENV["HOLDUP_DIR"]).entries
      entries.find { |entry| entry.pid == Process.pid }.read(&:snapshot).counters[:units]
    end
  RUBY
  RAILS = <<~RUBY
    require "rails"
    require "action_controller/railtie"
    require "holdup"
    class HelloController < %<base>s
      def show = render(plain: "hello")
    end
    class Inside < Rails::Application
      config.load_defaults Rails::VERSION::STRING.to_f
      config.eager_load = false
      config.secret_key_base = "x" * 40
      config.logger = Logger.new(nil)
      config.hosts.clear
      config.api_only = %<api>s
      routes.append do
        mount Holdup::Web => "/inside/holdup"
        get "/hello", to: "hello#show"
      end
    end
    Inside.initialize!
    Holdup.start
    ask(Inside)
  RUBY

  def inside(script)
    Dir.mktmpdir do |folder|
      store = Holdup::Store.open("#{folder}/store.sqlite3")
      store.commit(SampleWindows.new.to_a, {})
      store.close
      env = {
        "HOLDUP_STORE" => "#{folder}/store.sqlite3",
        "HOLDUP_DIR" => "#{folder}/segments",
        "HOLDUP_COLLECTOR" => "off",
        "HOLDUP_LOG" => "off",
        "HOLDUP_WEB_AUTH" => "none",
        "RAILS_ENV" => "production"
      }
      fresh_ruby(ASK + script, prelude: "", gems: true, options: ["-I#{LIB}"], env:)
    end
  end

  def setup
    require "holdup/loader"
  end

  def expected
    "#{[[200], [], [200], 200, 1, nil].inspect}\n"
  end

  def test_rails
    assert_equal expected, inside(format(RAILS, base: "ActionController::Base", api: false))
  end

  def test_rails_without_pages_of_its_own
    assert_equal expected, inside(format(RAILS, base: "ActionController::API", api: true))
  end

  def test_rack_sinatra_and_roda
    assert_equal expected * 3, inside(<<~RUBY)
      require "holdup"
      require "sinatra/base"
      require "roda"
      Holdup.start
      hello = ->(_env) { [200, {"content-type" => "text/plain"}, ["hello"]] }
      class Small < Sinatra::Base
        get("/hello") { "hello" }
      end
      class Tree < Roda
        route do |r|
          r.on("inside", "holdup") { r.run Holdup::Web }
          r.get("hello") { "hello" }
        end
      end
      [Rack::Builder.app { map("/inside/holdup") { run Holdup::Web }; map("/hello") { run hello } },
        Rack::Builder.app { map("/inside/holdup") { run Holdup::Web }; run Small },
        Tree.app].each do |app|
        reader, writer = IO.pipe
        pid = fork do
          $stdout.reopen(writer)
          ask(Holdup::Instrumentation::Rack.new(app, Holdup.requests))
          $stdout.flush
          exit!(0)
        end
        Process.wait(pid)
        writer.close
        print reader.read
      end
    RUBY
  end
end
