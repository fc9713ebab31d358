# frozen_string_literal: true

# What the bundle of the tests has installed, linked into another GEM_HOME, so that nothing is compiled again.
module LinkedGems
  # @param home [String] GEM_HOME
  # @param names [Array<String>] these gems, and what they need
  # @return [void]
  def self.link(home, names)
    needed(names).each do |spec|
      paths = [spec.full_gem_path, spec.loaded_from, spec.extension_dir]
      paths.select { |path| File.exist?(path) }.each do |path|
        link = File.join(home, path.delete_prefix(spec.base_dir))
        FileUtils.mkdir_p(File.dirname(link))
        FileUtils.ln_s(path, link)
      end
    end
  end

  # @param names [Array<String>]
  # @return [Array<Gem::Specification>] of these and of what they need, but for those of Ruby itself
  def self.needed(names)
    found = {}
    waiting = names.dup
    while (name = waiting.shift)
      next if found.key?(name)
      spec = Gem::Specification.find_by_name(name)
      found[name] = spec
      waiting.concat(spec.runtime_dependencies.map(&:name))
    end
    found.values.reject(&:default_gem?)
  end
end
