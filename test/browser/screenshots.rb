# frozen_string_literal: true

# Takes the pictures of docs/images, or those that are named:
# `bundle exec ruby test/browser/screenshots.rb [NAME ...]`. Needs pngquant, which makes them small.

require "fileutils"
require "uri"
require_relative "../support/command_line"
require_relative "../support/kept_capture"
require_relative "../support/played_store"
require_relative "chromium"
require_relative "recorded"
require_relative "served_dashboard"

# The top of pages as a laptop shows them: of what was recorded of the shop for minutes, and by `bin/demo`.
# The page of advice wants two hours of a quiet machine and shows a simulated recording.
class Screenshots
  FOLDER = File.expand_path("../../docs/images", __dir__)
  FIXTURES = File.expand_path("../fixtures", __dir__)
  WIDTH = 1280
  # name => path, height in pixels, width where it is not WIDTH
  RECORDED = {"overview" => ["/?since=15m", 960]}.freeze
  # The same shop while little happens, and beside other programs: light and English.
  SITUATIONS = {"calm" => {"overview-calm" => ["/?since=6m", 780]},
                "starved" => {"overview-starved" => ["/?since=6m", 980]}}.freeze
  SHOP = "since=10m&app=Storefront"
  DEMO = {"endpoint" => ["/endpoint?unit=OrdersController%23index&kind=request&#{SHOP}", 1040],
          "blame" => ["/blame?#{SHOP}", 1500],
          "threads" => ["/compare?by=threads&since=10m&app=Shipping", 860]}.freeze
  # Of the recordings of docs/stories.
  STORIES = {
    "vcpus" => {"vcpus" => ["/processes?since=14m&app=Statements", 580]},
    "yjit" => {"jit" => ["/jit?since=6m", 790]},
    "upgrade" => {"upgrade" => ["/compare?by=jit&since=16m", 775]},
    "night" => {"deaths" => ["/deaths?since=8m", 480, 900]}
  }.freeze
  SIMULATED = {"advice" => ["/advice?", 1040]}.freeze
  LIST = "/captures?"
  VIEWER = "/capture?id=#{KeptCapture::ID}"
  LANGUAGES = %w[en ja].freeze
  # Theme => what the name of a picture ends with.
  THEMES = {"light" => "", "dark" => "-dark"}.freeze
  COLOURS = "48"
  # As high as the page of a capture.
  WHOLE = 6000

  # @param names [Array<String>] of those to take; none: all
  def initialize(names)
    @names = names
    @chromium = Chromium.new
  end

  # @return [void]
  def take
    FileUtils.mkdir_p(FOLDER)
    recorded = Recorded.new
    served(recorded.store, recorded.now_s, RECORDED)
    demo = Recorded.new(Recorded::DEMO)
    served(demo.store, demo.now_s, DEMO)
    kept(STORIES)
    kept(SITUATIONS, themes: %w[light], languages: %w[en])
    played = PlayedStore.new
    played.in_a_file { |store| served(store, played.to_s, SIMULATED) }
    captures(recorded)
  ensure
    [recorded, demo].compact.each(&:remove)
    @chromium.quit
  end

  private

  # @param recordings [Hash{String => Hash}] pages by the name of a fixture
  def kept(recordings, **looks)
    recordings.each do |name, pages|
      kept = Recorded.new(File.join(FIXTURES, "#{name}.sqlite3.gz"))
      served(kept.store, kept.now_s, pages, **looks)
    ensure
      kept&.remove
    end
  end

  def served(store, now_s, pages, themes: THEMES.keys, languages: LANGUAGES)
    dashboard = ServedDashboard.new(store:, now_s:)
    themes.product(pages.keys, languages) do |theme, name, language|
      picture(dashboard, name, language, *pages[name], theme:)
    end
  ensure
    dashboard&.stop
  end

  # Those of docs/guide/capture-walkthrough.md, the last one of the page that was visited last.
  def captures(recorded)
    kept = KeptCapture.new
    dashboard = ServedDashboard.new(store: recorded.store, now_s: recorded.now_s, captures: kept.folder)
    picture(dashboard, "captures", "en", LIST, 330)
    LANGUAGES.reverse_each { |language| picture(dashboard, "capture", language, VIEWER, 1240) }
    return unless @names.empty? || @names.include?("capture")
    @chromium.size(WIDTH, WHOLE)
    save("capture-methods-en", selector: ".flames")
  ensure
    dashboard&.stop
    kept&.remove
  end

  def picture(dashboard, name, language, path, height, width = WIDTH, theme: "light")
    return unless @names.empty? || @names.include?(name)
    @chromium.theme(theme)
    @chromium.size(width, height)
    @chromium.visit("#{dashboard.address}#{path}&lang=#{language}")
    save("#{name}-#{language}#{THEMES.fetch(theme)}")
  end

  # @param options of Ferrum::Page#screenshot
  def save(name, **options)
    file = File.join(FOLDER, "#{name}.png")
    @chromium.picture(file, **options)
    system("pngquant", "--force", "--strip", "--nofs", "--speed", "1", "--ext", ".png", COLOURS, file,
      exception: true)
  end
end

Screenshots.new(ARGV).take
