# frozen_string_literal: true

require "holdup/loader"

module Bench
  # What a person waits for: how long after a page was asked for a real Chromium shows something of it, and
  # how long after a key or a click it shows the next picture, as the browser itself tells both. The dashboard
  # is served by a Puma in this process.
  class Painted
    PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    # Times of events come in steps of 8 ms; those below the shortest that a browser tells are counted as
    # that.
    LISTEN = "window.slowest = 16; new PerformanceObserver((list) => list.getEntries().forEach((entry) " \
      "=> { window.slowest = Math.max(window.slowest, entry.duration) })).observe({ type: 'event', " \
      "durationThreshold: 16 })"
    CONTROLS = "main [tabindex], main input, main summary"
    KEYS = %i[Right Left].freeze
    # A click on a chart leads to another page.
    CLICKED = %w[input summary].freeze
    # Root can't make a sandbox.
    FLAGS = Process.uid.zero? ? {"no-sandbox" => nil} : {}
    PATIENCE_S = 60

    # @param app [#call] the dashboard
    # @yieldparam painted [Painted, nil] nil where there is no browser
    # @return [Object] what the block returns
    def self.with(app)
      require "ferrum"
      browser = Ferrum::Browser.new(timeout: PATIENCE_S, process_timeout: PATIENCE_S, browser_options: FLAGS)
    rescue LoadError, Ferrum::Error
      yield nil
    else
      served(app) { |address| yield new(browser, address) }
    ensure
      browser&.quit
    end

    def self.served(app)
      addresses = Queue.new
      serving = Thread.new do
        server = Holdup::Web::Command::Server.new(app, host: "127.0.0.1", port: 0)
        server.run { |address| addresses << address }
      end
      yield addresses.pop.delete_suffix("/")
    ensure
      serving&.kill&.join
    end
    private_class_method :served

    # @param browser [Ferrum::Browser]
    # @param address [String]
    def initialize(browser, address)
      @browser = browser
      @address = address
    end

    # @param page [String] path and query
    # @return [Float] ms
    def paint(page)
      visit(page)
      waiting { @browser.evaluate(PAINT) }
    end

    # @param page [String]
    # @return [Float] ms from the slowest of some keys and clicks, on one control of each kind, to the next
    #   picture
    def interaction(page)
      visit(page)
      @browser.execute(LISTEN)
      @browser.css(CONTROLS).group_by(&:tag_name).each_value { |same| touch(same.first) }
      sleep 0.1 # the figures of an event come after its picture
      @browser.evaluate("window.slowest")
    end

    private

    def visit(page)
      @browser.go_to(@address + page)
      @browser.network.wait_for_idle(timeout: PATIENCE_S)
    end

    def touch(control)
      control.scroll_into_view
      control.focus.type(*KEYS)
      control.click if CLICKED.include?(control.tag_name)
    rescue Ferrum::CoordinatesNotFoundError, Ferrum::NodeNotFoundError, Ferrum::BrowserError
      nil # what is folded away can't be touched
    end

    def waiting
      deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE_S
      found = yield
      until found
        if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
          raise Failure, "web: the browser shows nothing"
        end
        sleep 0.05
        found = yield
      end
      found
    end
  end
end
