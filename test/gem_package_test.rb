# frozen_string_literal: true

require "test_helper"
require "rubygems/package"
require "open3"

# The gem as it is published: what is in it, how large it is, and where its page on RubyGems leads.
class GemPackageTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("..", __dir__)
  MOST_BYTES = 1_000_000
  # What the release workflow has in its environment.
  PUBLISHED = {"GITHUB_SERVER_URL" => "https://git.example", "GITHUB_REPOSITORY" => "someone/holdup"}.freeze
  LINKS = %w[homepage_uri source_code_uri changelog_uri documentation_uri bug_tracker_uri].freeze
  TOP = %w[LICENSE.txt].freeze

  BuiltGem = Data.define(:spec, :bytes, :printed)

  class << self
    # @return [BuiltGem] made once
    def built
      @built ||= Dir.mktmpdir do |folder|
        path = File.join(folder, "holdup.gem")
        source = readable_copy(File.join(folder, "source"))
        printed, status = Bundler.with_unbundled_env do
          Open3.capture2e(PUBLISHED, RbConfig.ruby, "-S", "gem", "build", "holdup.gemspec", "--output", path,
            chdir: source)
        end
        raise printed unless status.success?
        BuiltGem.new(spec: Gem::Package.new(path).spec, bytes: File.size(path), printed:)
      end
    end

    private

    # `gem build` warns of files that only their owner may read, as a umask of 077 makes them.
    def readable_copy(folder)
      FileUtils.mkdir_p(folder)
      %w[lib ext exe sig docs holdup.gemspec].chain(TOP).each do |name|
        FileUtils.cp_r(File.join(ROOT, name), folder)
      end
      FileUtils.chmod_R("a+rX", folder)
      folder
    end
  end

  def test_is_smaller_than_a_megabyte
    assert_operator built.bytes, :<, MOST_BYTES
  end

  # Of the pages only what code reads: the others would be a tenth of the gem, and its page on RubyGems leads
  # to them, the README and the changelog.
  def test_has_all_code_and_signatures
    assert_empty git_files("lib", "ext", "exe", "sig") + TOP - built.spec.files
    assert_equal %w[docs/vocabulary.md], built.spec.files.grep(%r{\Adocs/.*\.md\z})
  end

  def test_has_nothing_else
    assert_empty built.spec.files - git_files
    assert_empty built.spec.files.grep_v(%r{\A(lib|ext|exe|sig|docs)/}) - TOP
    assert_empty built.spec.files.grep(/\.(png|jpg|so|bundle|o|sqlite3)\z/)
  end

  def test_its_page_leads_to_the_source_the_pages_and_the_issues
    spec = built.spec
    assert_equal "https://git.example/someone/holdup", spec.homepage
    assert_equal LINKS, LINKS & spec.metadata.keys
    assert_equal "https://git.example/someone/holdup/blob/v#{spec.version}/CHANGELOG.md",
      spec.metadata["changelog_uri"]
  end

  def test_links_to_nothing_where_the_repository_is_unknown
    script = "spec = Gem::Specification.load('holdup.gemspec'); p [spec.homepage, spec.metadata.keys]"
    output, = Open3.capture2e(PUBLISHED.transform_values { nil }, RbConfig.ruby, "-e", script, chdir: ROOT)
    assert_equal "[nil, [\"rubygems_mfa_required\"]]\n", output
  end

  def test_builds_without_a_warning
    assert_empty built.printed.lines.grep(/warning/i)
  end

  private

  def built = self.class.built

  def git_files(*folders)
    listed, status = Open3.capture2("git", "ls-files", "-z", "--", *folders, chdir: ROOT)
    skip "not a git repository" unless status.success?
    listed.split("\0")
  end
end
