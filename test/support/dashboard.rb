# frozen_string_literal: true

require "rack/test"

# Asks the dashboard over a store with the sample's windows and processes, at the end of their span.
module Dashboard
  include Rack::Test::Methods

  # @return [Holdup::Web]
  def app = @app ||= dashboard

  def dashboard(auth: :none, store: sample_store, clock: CommandLine::Still.new(now_s: sample.to_s),
    **options)
    require "holdup/loader"
    Holdup::Web.new(store: -> { store }, dir: "/nonexistent", auth:, clock:,
      computations: Holdup::Web::Computations.new(clock: Holdup::Clock.new, patience_s: nil), **options)
  end

  def sample = @sample ||= SampleWindows.new

  def sample_store
    require "holdup/loader"
    store = Holdup::Store.open("memory:")
    store.commit(sample.stored, {}, processes: SampleProcesses.new(sample).to_a)
    store
  end

  # @return [String] the page without its own script, and without the places where names may wrap
  def markup
    last_response.body.sub(%r{<script type="module" src="/assets/main-\h+\.js"></script>}, "").gsub("<wbr>",
      "")
  end

  # @return [String] the page's text without markup
  def text
    markup.gsub(%r{<style.*?</style>}m, "").gsub(/<[^>]+>/, " ").gsub(/[[:space:]]+/, " ")
  end
end
